// The age of a snapshot changes every day, and the page does not. The reader's browser has a clock.
const ages = new Intl.RelativeTimeFormat('en', {numeric: 'auto'});
for (const age of document.querySelectorAll('[data-as-of]')) {
  const days = Math.floor((Date.now() - Date.parse(age.dataset.asOf)) / 86_400_000);
  age.textContent = ages.format(-days, 'day');
  age.hidden = false;
}

// The time is in UTC; its tooltip has the reader's time zone.
const times = new Intl.DateTimeFormat('en-GB', {dateStyle: 'long', timeStyle: 'short'});
for (const time of document.querySelectorAll('time[data-precise]')) time.title = times.format(new Date(time.dateTime));

// Without a clipboard (plain HTTP, or no script) the buttons stay hidden.
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

// The search reads the other pages of the list when it is first used.
for (const field of document.querySelectorAll('input[type=search]')) {
  const [list, found] = [document.getElementById('list'), document.getElementById('found')];
  const own = new Set(list.children);
  /** @type {Promise<Map<Element, string>> | undefined} */
  let cards;
  field.closest('p').hidden = false;
  field.addEventListener('input', async () => {
    cards ??= allCards(list);
    const texts = await cards.catch(() => (cards = undefined));
    if (!texts) return void (found.textContent = 'The list cannot be read at the moment');
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const [card, text] of texts) {
      const isShown = words.length > 0 ? words.every(word => text.includes(word)) : own.has(card);
      if (card instanceof HTMLElement) card.hidden = !isShown;
      count += isShown ? 1 : 0;
    }
    found.textContent = words.length > 0 ? `${count} found` : '';
  });
}

/**
 * The cards of all pages of the list, which are added to this page, each with its text.
 * @param {Element} list
 */
async function allCards(list) {
  const links = [...document.querySelectorAll('#pages a')];
  const others = links.map(async link => {
    const answer = await fetch(link.href);
    if (!answer.ok) throw new Error(`${answer.status}`);
    return [...new DOMParser().parseFromString(await answer.text(), 'text/html').querySelectorAll('#list > li')];
  });
  for (const cards of await Promise.all(others)) list.append(...cards);
  return new Map([...list.children].map(card => [card, (card.textContent ?? '').toLowerCase()]));
}
