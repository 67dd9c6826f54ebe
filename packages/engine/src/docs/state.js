/* global document, fetch */

document.querySelector('#state button').addEventListener('click', show);
await show();

/** Shows the stored resources. */
async function show() {
  const response = await fetch('docs/state.json');
  const texts = Object.entries(await response.json());
  const elements = texts.flatMap(([title, text]) => [element('h4', title), element('pre', text)]);
  document.querySelector('#state .markdown').replaceChildren(...elements);
}

function element(name, textContent) {
  return Object.assign(document.createElement(name), { textContent });
}
