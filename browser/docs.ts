// On the API reference: shows what matches while one types. Without it the form asks the service for the same.
const field = document.querySelector<HTMLInputElement>('#q');
const found = document.querySelector('#found');
const basics = document.querySelector<HTMLElement>('#basics');
const sections = [...document.querySelectorAll<HTMLElement>('article section')];

const texts = new Map(sections.map((section) => [section, section.textContent?.toLowerCase() ?? '']));

field?.addEventListener('input', () => {
  const search = field.value.trim().toLowerCase();
  const words = search.split(/\s+/);
  let count = 0;
  if (basics !== null) basics.hidden = search !== '';
  for (const [section, text] of texts) {
    section.hidden = !words.every((word) => text.includes(word));
    if (!section.hidden) count++;
    const item = document.querySelector(`nav a[href="#${section.id}"]`)?.closest('li');
    if (item != null) item.hidden = section.hidden;
  }
  if (found !== null) found.textContent = search === '' ? '' : `${count} of ${sections.length} match.`;
});
