// Added to pages by `frozen dev` only: reloads a page after a build, and shows errors in the data.
{
  const {version} = /** @type {HTMLScriptElement} */ (document.currentScript).dataset;
  const overlay = document.createElement('pre');
  overlay.role = 'alert';
  overlay.style.cssText = `position: fixed; inset: auto 0 0 0; max-height: 80%; overflow: auto; margin: 0; padding: 1rem;
    white-space: pre-wrap; overflow-wrap: anywhere; font: 0.9rem/1.5 monospace; color: #fff; background: #8b1a1a; z-index: 9999`;

  /** @param {MessageEvent<string>} message */
  const show = ({data}) => {
    const {version: newest, faults} = JSON.parse(data);
    if (newest !== version) location.reload();
    overlay.textContent = faults ?? '';
    if (faults) document.body.append(overlay);
    else overlay.remove();
  };

  // Browsers limit the connections to a server, so only a visible page has one.
  /** @type {EventSource | undefined} */
  let events;
  const follow = () => {
    events?.close();
    if (document.hidden) return;
    events = new EventSource('/.dev/events');
    events.onmessage = show;
  };
  document.addEventListener('visibilitychange', follow);
  follow();
}
