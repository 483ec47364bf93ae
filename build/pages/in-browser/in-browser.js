// The age of a snapshot changes every day and the page does not: only the reader's browser can tell it.
const ages = new Intl.RelativeTimeFormat(undefined, {numeric: 'auto'});
for (const age of document.querySelectorAll('[data-as-of]')) {
  const days = Math.floor((Date.now() - Date.parse(age.dataset.asOf)) / 86_400_000);
  age.textContent = ages.format(-days, 'day');
  age.lang = ages.resolvedOptions().locale;
  age.hidden = false;
}

const days = new Intl.DateTimeFormat(undefined, {dateStyle: 'long', timeZone: 'UTC'});
const moments = new Intl.DateTimeFormat(undefined, {dateStyle: 'long', timeStyle: 'short'});

/**
 * Dates in the reader's language; a moment by the reader's clock, too, with its words in UTC under it.
 * @param {ParentNode} parent
 */
function tellDates(parent) {
  for (const time of parent.querySelectorAll('time')) {
    const utc = time.textContent;
    const isPrecise = time.matches('[data-precise]');
    time.textContent = (isPrecise ? moments : days).format(new Date(time.dateTime));
    time.lang = days.resolvedOptions().locale;
    time.title = isPrecise ? utc : `${utc} (UTC)`;
    if (isPrecise) time.after(Object.assign(document.createElement('small'), {textContent: utc}));
  }
  for (const label of parent.querySelectorAll('text[data-date]'))
    label.textContent = days.format(new Date(label.dataset.date));
}
tellDates(document);

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

// One explanation for all products: whichever is chosen is filled in.
for (const choice of document.querySelectorAll('select')) {
  const fill = () => {
    const chosen = choice.selectedOptions[0]?.dataset ?? {};
    for (const place of document.querySelectorAll('[data-fills]')) {
      place.textContent = chosen[place.dataset.fills] ?? '';
      if (place instanceof HTMLAnchorElement) place.href = place.textContent;
    }
  };
  choice.closest('p').hidden = false;
  document.getElementById('unscripted').hidden = true;
  choice.addEventListener('change', fill);
  for (const link of document.querySelectorAll('a[data-buys]'))
    link.addEventListener('click', () => {
      choice.value = link.dataset.buys;
      fill();
    });
}

// The list is whole without a script, on as many pages as it takes; the search reads the others when it is first used.
for (const field of document.querySelectorAll('input[type=search]')) {
  const [shelf, found] = [document.getElementById('shelf'), document.getElementById('found')];
  const own = new Set(shelf.children);
  /** @type {Promise<Map<Element, string>> | undefined} */
  let lines;
  field.closest('p').hidden = false;
  field.addEventListener('input', async () => {
    lines ??= allLines(shelf);
    const texts = await lines.catch(() => (lines = undefined));
    if (!texts) return void (found.textContent = 'The list cannot be read at the moment');
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const [line, text] of texts) {
      const isShown = words.length > 0 ? words.every(word => text.includes(word)) : own.has(line);
      if (line instanceof HTMLElement) line.hidden = !isShown;
      count += isShown ? 1 : 0;
    }
    found.textContent = words.length > 0 ? `${count} found` : '';
  });
}

/**
 * The lines of all pages of the list, those of the others added to this one, with what is searched in them.
 * @param {Element} shelf
 */
async function allLines(shelf) {
  const links = [...document.querySelectorAll('#pages a')];
  const others = links.map(async link => {
    const answer = await fetch(link.href);
    if (!answer.ok) throw new Error(`${answer.status}`);
    return [...new DOMParser().parseFromString(await answer.text(), 'text/html').querySelectorAll('#shelf > li')];
  });
  for (const lines of await Promise.all(others)) {
    for (const line of lines) tellDates(line);
    shelf.append(...lines);
  }
  return new Map([...shelf.children].map(line => [line, (line.textContent ?? '').toLowerCase()]));
}
