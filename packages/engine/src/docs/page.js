/* global Blob, document, matchMedia, SwaggerUIBundle, URL */

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const ui = SwaggerUIBundle({
  url: 'docs/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null, // By default, Swagger UI contacts a public server.
  plugins: [showFaithfully],
  onComplete() {
    document.title = ui.specSelectors.info().get('title');
  },
});

/** A Swagger UI plugin that shows responses exactly, and files as images or downloads. */
function showFaithfully() {
  return {
    wrapComponents: {
      responseBody: (ResponseBody, { React }) =>
        function FaithfulResponseBody(props) {
          return React.createElement(ResponseBody, { ...props, ...propsFor(props) });
        },
    },
  };
}

/** Returns the properties of a response to override for Swagger UI. */
function propsFor({ content, contentType = '', url, headers }) {
  // Swagger UI would show the source of an SVG. An image element does not run scripts.
  if (typeof content === 'string' && contentType.startsWith('image/svg+xml')) {
    return { content: new Blob([content], { type: 'image/svg+xml' }), contentType: 'image/*' };
  }
  // Swagger UI parses JSON numbers as doubles, so JSON with long numbers is shown as plain text.
  if (typeof content === 'string') return /\d{16}/.test(content) ? { contentType: 'text/plain' } : {};
  // Swagger UI would decode the bytes as text, even for the download, and would request audio again without
  // credentials.
  if (!(content instanceof Blob) || /^image\/|jsonl/.test(contentType)) return {};
  const disposition = `attachment; filename="${new URL(url).pathname.split('/').at(-1)}"`;
  return { contentType: 'application/octet-stream', headers: { 'content-disposition': disposition, ...headers } };
}
