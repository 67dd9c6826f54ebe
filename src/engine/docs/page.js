/* global document, matchMedia, SwaggerUIBundle */

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const ui = SwaggerUIBundle({
  url: '/docs/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null, // By default, Swagger UI contacts a public server.
  plugins: [showDigits],
  onComplete() {
    document.title = ui.specSelectors.info().get('title');
  },
});

/** Shows responses with long numbers as text, since Swagger UI formats JSON through doubles. */
function showDigits() {
  return {
    wrapComponents: {
      responseBody: (ResponseBody, { React }) =>
        function ExactResponseBody(props) {
          const isLong = typeof props.content === 'string' && /\d{16}/.test(props.content);
          return React.createElement(ResponseBody, isLong ? { ...props, contentType: 'text/plain' } : props);
        },
    },
  };
}
