// Added to the pages of `frozen dev`, and to no others: loads a page again after a build, and shows what is wrong with the data.
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

  // A browser keeps few connections to one server open, so only a page that is seen has one.
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
