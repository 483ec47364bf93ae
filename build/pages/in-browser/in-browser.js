// The age of a snapshot changes every day and the page does not: only the reader's browser can tell it.
const words = new Intl.RelativeTimeFormat('en', {numeric: 'auto'});
for (const age of document.querySelectorAll('[data-as-of]')) {
  const days = Math.floor((Date.now() - Date.parse(age.dataset.asOf)) / 86_400_000);
  age.textContent = words.format(-days, 'day');
  age.hidden = false;
}

// Without a clipboard (plain HTTP, or no script at all) there is no button that does nothing.
for (const button of navigator.clipboard ? document.querySelectorAll('button[data-copies]') : []) {
  const code = document.getElementById(button.dataset.copies);
  const status = document.getElementById('copy-status');
  button.hidden = false;
  button.addEventListener('click', async () => {
    status.textContent = '';
    const done = await navigator.clipboard.writeText(code.textContent).then(
      () => 'Copied',
      () => 'Not copied',
    );
    button.textContent = status.textContent = done;
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  });
}
