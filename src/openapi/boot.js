// The docs page loads this in place of a viewer from another host: it opens Swagger UI from this server alone.
const assets = new URL(/** @type {HTMLScriptElement} */ (document.currentScript).src)

/** @param {string} name */
const asset = (name) => new URL(name, assets).href

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} properties
 */
const element = (tag, properties) => Object.assign(document.createElement(tag), properties)

const page = element('div', { id: 'swagger-ui' })
const root = new URL('..', document.baseURI).href
const home = element('a', { href: root, className: 'home', textContent: 'Satchel' })
home.prepend(element('img', { src: asset('../../icon.svg'), alt: '', width: 28, height: 28 }))
const masthead = element('header', { className: 'masthead' })
masthead.append(
  home,
  element('a', { href: `${root}docs`, textContent: 'API documentation' }),
  element('a', { href: `${root}docs/errors`, textContent: 'Error codes' }),
)
const script = element('script', { src: asset('swagger-ui-bundle.js') })
const loaded = new Promise((resolve, reject) => {
  script.addEventListener('load', resolve)
  script.addEventListener('error', () => reject(new Error('the viewer did not load')))
})

async function show() {
  const [response] = await Promise.all([fetch(`${root}docs/json`), loaded])
  if (!response.ok) throw new Error(`the server answered ${response.status}`)
  Reflect.get(
    window,
    'SwaggerUIBundle',
  )({
    domNode: page,
    // The document says `/`, which is not where the server is below a path.
    spec: { ...(await response.json()), servers: [{ url: root.slice(0, -1), description: 'This server.' }] },
    validatorUrl: null,
    deepLinking: true,
    displayRequestDuration: true,
    filter: true,
    docExpansion: 'none',
    persistAuthorization: true,
    defaultModelsExpandDepth: 0,
    syntaxHighlight: { theme: 'tomorrow-night' }, // the viewer's own has too little contrast
  })
}

show().catch((error) => {
  page.textContent = `The documentation did not load: ${error.message}.`
})
document.documentElement.lang = 'en'
document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches)
document.title = 'Swagger UI – Satchel'
document.head.append(
  element('link', { rel: 'icon', href: asset('../../icon.svg'), type: 'image/svg+xml' }),
  element('link', { rel: 'stylesheet', href: asset('swagger-ui.css') }),
  element('link', { rel: 'stylesheet', href: asset('docs.css') }),
)
document.body.append(masthead, page, script)
