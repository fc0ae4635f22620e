// The docs page loads this in place of a viewer from another host: it opens Swagger UI from this server alone.
const assets = new URL(/** @type {HTMLScriptElement} */ (document.currentScript).src)

/** @param {string} name */
const asset = (name) => new URL(name + assets.search, assets).href

const page = Object.assign(document.createElement('main'), { id: 'swagger-ui' })
const style = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: asset('swagger-ui.css') })
const script = Object.assign(document.createElement('script'), { src: asset('swagger-ui-bundle.js') })
script.addEventListener('load', () =>
  Reflect.get(
    window,
    'SwaggerUIBundle',
  )({
    domNode: page,
    url: '/docs/json',
    validatorUrl: null,
    deepLinking: true,
    displayRequestDuration: true,
    filter: true,
    defaultModelsExpandDepth: 0,
  }),
)
document.documentElement.lang = 'en'
document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches)
document.head.append(style)
document.body.append(page, script)
