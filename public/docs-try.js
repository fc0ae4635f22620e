/** A form beside a call of the documentation, which sends the request that the samples show. Loaded when one is opened. */

import { fillForm, SAMPLE_LANGUAGES, writeSample } from './docs-samples.js'
import { button, element, say } from './dom.js'

/**
 * @typedef {import('../src/openapi/operation-html').RequestForm} RequestForm
 * @typedef {import('./docs.js').Sample} Sample
 * @typedef {import('./key-store.js').KeyStore} KeyStore
 */

/** Characters that are shown of a stream: its last. */
const MOST = 100_000

/**
 * @param {HTMLDetailsElement} place the form goes into it
 * @param {object} page
 * @param {string} page.root address of the server with a slash at the end
 * @param {KeyStore} page.store
 * @param {Sample[]} page.samples those of the call
 * @param {() => void} page.show shows the samples
 * @returns {Promise<void>} rejects if the server does not answer
 */
export async function startTry(place, { root, store, samples, show }) {
  const call = place.closest('section')
  const response = await fetch(`${root}docs/forms/${location.pathname.split('/').at(-1)}`)
  if (!response.ok) throw new Error(`the server answered ${response.status}`)
  const { [call?.id ?? '']: form } = /** @type {Record<string, RequestForm>} */ (await response.json())
  if (!form) throw new Error('the server does not know this call')
  const fields = new Fields(form, call?.id ?? '')
  const answer = new AnswerView(root)
  const who = element('p', { class: 'fine' })
  const sender = element('button', { class: 'primary' }, 'Send')
  const stopper = button('Stop', () => underWay?.abort())
  /** @type {AbortController | null} */
  let underWay = null
  const all = element(
    'form',
    { class: 'stack' },
    who,
    ...fields.parts,
    element('div', { class: 'row' }, sender, stopper),
  )
  stopper.hidden = true
  const tell = () => who.replaceChildren(...sentence(form.method, store, root))
  store.addEventListener('change', tell)
  tell()
  all.addEventListener('input', () => {
    fields.check()
    show()
  })
  all.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (underWay || !fields.check(true)) return
    underWay = new AbortController()
    stopper.hidden = false
    await answer.take(fields, store.chosen?.key, underWay.signal)
    underWay = null
    if (document.activeElement === stopper) sender.focus()
    stopper.hidden = true
  })
  for (const sample of samples) {
    const name = sample.place.closest('details')?.dataset.language
    const language = SAMPLE_LANGUAGES.find((one) => one === name) ?? 'curl'
    sample.write = (key) => writeSample(language, fields.request, key, root.slice(0, -1))
  }
  place.append(all, answer.place)
  show()
}

/**
 * @param {string} method
 * @param {KeyStore} store
 * @param {string} root
 */
function sentence(method, { chosen }, root) {
  const does =
    { GET: '', DELETE: ' It deletes what is stored there.' }[method] ?? ' It may change what is stored there.'
  if (chosen) return ['Sends a real request with the key “', element('bdi', {}, chosen.name), `”.${does}`]
  const free = 'Sends a real request without a key: in the free tier, to the scratch space of your address.'
  return [`${free}${does} `, element('a', { href: root }, 'Make a key')]
}

/** The fields of a form, and the request that they make. */
class Fields {
  #form
  /** @type {(HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement)[]} */
  #controls
  #json = element('textarea', { class: 'code', rows: '8', spellcheck: 'false' })
  #file = element('input', { type: 'file', required: '' })
  #fault = element('p', { class: 'fault' })
  #body
  /** @type {HTMLElement[]} */
  parts = []

  /**
   * @param {RequestForm} form
   * @param {string} id of the call
   */
  constructor(form, id) {
    this.#form = form
    this.#body = form.body
    this.#controls = form.fields.map(controlOf)
    const labels = form.fields.map(({ name, isRequired, isList }, at) =>
      element('label', {}, name, note(isRequired ? 'required' : isList ? 'one a line' : ''), this.#controls[at] ?? ''),
    )
    const count = form.fields.filter(({ isRequired }) => isRequired).length
    if (count > 0) this.parts.push(element('div', { class: 'fields' }, ...labels.slice(0, count)))
    const rest = element('div', { class: 'fields' }, ...labels.slice(count))
    const title = `Optional parameters: ${labels.length - count}`
    if (count < labels.length) this.parts.push(element('details', {}, element('summary', {}, title), rest))
    if (!form.body) return
    if ('json' in form.body) this.#json.value = JSON.stringify(form.body.json, null, 2)
    this.#fault.id = `${id}-fault`
    this.#json.setAttribute('aria-describedby', this.#fault.id)
    const label = 'json' in form.body ? ['Body', note('JSON'), this.#json] : ['File', this.#file]
    this.parts.push(element('div', {}, element('label', {}, ...label), this.#fault))
  }

  /** Takes over the body; one that is not JSON is not. @param {boolean} [isPressing] whether it gets the focus then */
  check(isPressing = false) {
    const { body } = this.#form
    const [file] = this.#file.files ?? []
    if (body && 'file' in body && file) this.#take(file, body)
    if (!body || 'file' in body) return true
    this.#fault.textContent = ''
    try {
      this.#body = this.#json.value.trim() === '' ? null : { json: JSON.parse(this.#json.value) }
    } catch (error) {
      this.#fault.textContent = `This is not JSON: ${error instanceof Error ? error.message : error}`
      if (isPressing) {
        this.#json.focus()
        say(this.#fault.textContent)
      }
    }
    const isRight = this.#fault.textContent === ''
    this.#json.ariaInvalid = String(!isRight)
    return isRight
  }

  /**
   * Takes a file, and its name for the parameter that has the name of a file.
   * @param {File} file
   * @param {{ file: string, mediaType: string }} example
   */
  #take({ name }, example) {
    const { file: before } = { ...example, ...this.#body }
    for (const control of this.#controls) if (control.value === before) control.value = name
    this.#body = { ...example, file: name }
  }

  get request() {
    const values = this.#controls.map(({ value }) => value)
    return fillForm(this.#form, values, this.#body)
  }

  /** The body as it is sent. */
  get sent() {
    if (!this.#body) return null
    return 'json' in this.#body ? JSON.stringify(this.#body.json) : (this.#file.files?.[0] ?? null)
  }
}

/** @param {string} text */
const note = (text) => element('span', { class: 'quiet' }, text && ` ${text}`)

/** @param {RequestForm['fields'][number]} field */
function controlOf({ isRequired, isList, choices, value }) {
  if (isList) return element('textarea', { rows: '2' })
  const required = isRequired ? { required: '' } : {}
  if (choices.length === 0) {
    const made = element('input', { autocomplete: 'off', spellcheck: 'false', placeholder: value, ...required })
    if (isRequired) made.value = value
    return made
  }
  const options = choices.map((choice) => element('option', { value: choice }, choice))
  return element('select', required, ...(isRequired ? [] : [element('option', { value: '' }, 'not sent')]), ...options)
}

/** What came of a request. */
class AnswerView {
  #root
  #title = element('h4')
  #words = element('p')
  #limits = element('p', { class: 'fine' })
  #headers = element('dl', { class: 'headers' })
  #body = element('pre', { class: 'block scroll', tabindex: '0', role: 'region', 'aria-label': 'Body of the answer' })
  place = element('div', { class: 'answer' }, this.#title, this.#limits, this.#words, this.#headers, this.#body)

  /** @param {string} root */
  constructor(root) {
    this.#root = root
    this.place.hidden = true
  }

  /**
   * Sends the request and shows the answer, a stream as it comes.
   * @param {Fields} fields
   * @param {string | undefined} key
   * @param {AbortSignal} signal
   */
  async take({ request: { method, path, headers }, sent }, key, signal) {
    this.#clear('Waiting for the answer…')
    const started = performance.now()
    let isMade = false
    try {
      if (/\/\.\.?(?=[/?]|$)/.test(path)) throw new TypeError('Browsers leave “.” and “..” out of addresses')
      const url = this.#root + path.slice(1)
      const request = new Request(url, {
        method,
        headers: { ...headers, ...(key && { 'X-API-Key': key }) },
        body: sent,
      })
      isMade = true
      await this.#read(await fetch(request, { signal }), started)
    } catch (error) {
      if (!signal.aborted && !(error instanceof TypeError)) throw error
      const [title, received] = isMade ? ['No answer', 'may or may not have'] : ['Not sent', 'has not']
      const lost = `${error instanceof Error ? error.message : error}. The server ${received} received the request.`
      this.#words.textContent = signal.aborted ? 'Stopped. The server may have received the request.' : lost
      if (this.#title.textContent?.endsWith('…')) this.#title.textContent = title
    }
    say([this.#title, this.#limits, this.#words].map(({ textContent }) => textContent).join(' '))
  }

  /** @param {string} title */
  #clear(title) {
    this.place.hidden = false
    this.#body.hidden = true
    for (const one of [this.#words, this.#limits, this.#headers, this.#body]) one.replaceChildren()
    this.#title.textContent = title
  }

  /**
   * @param {Response} response
   * @param {number} started
   */
  async #read(response, started) {
    const { headers, status, statusText } = response
    const time = `${Math.round(performance.now() - started).toLocaleString('en')} ms`
    this.#title.replaceChildren(`${status} ${statusText} `, element('span', { class: 'quiet' }, time))
    this.#limits.textContent = limitsIn(headers)
    const shown = ['Location', 'ETag'].filter((name) => headers.has(name))
    const pairs = shown.map((name) => [element('dt', {}, name), element('dd', {}, headers.get(name) ?? '')])
    this.#headers.replaceChildren(...pairs.map((pair) => element('div', {}, ...pair)))
    const type = headers.get('Content-Type') ?? ''
    const file = /filename="?([^";]+)/.exec(headers.get('Content-Disposition') ?? '')?.[1]
    if (/event-stream|ndjson/.test(type)) await this.#follow(response)
    else if (!file && /json|^text\//.test(type)) this.#tell(await response.text(), status)
    else this.#offer(await response.blob(), file ?? 'answer')
  }

  /**
   * @param {string} text
   * @param {number} status
   */
  #tell(text, status) {
    const json = parsed(text)
    this.#body.hidden = false
    this.#body.textContent = json === undefined ? text : JSON.stringify(json, null, 2)
    if (status < 400 || !json?.code || !json.detail) return
    const help = element('a', { href: `${this.#root}docs/errors#${json.code}` }, `About ${json.code}`)
    this.#words.replaceChildren(`${json.detail} `, help)
  }

  /**
   * @param {Blob} blob
   * @param {string} name
   */
  #offer(blob, name) {
    if (blob.size === 0) return this.#words.replaceChildren('No content.')
    const href = URL.createObjectURL(blob)
    const size = `${blob.size.toLocaleString('en')} bytes`
    this.#words.replaceChildren(element('a', { href, download: name }, `Download ${name}`), ` ${size}`)
  }

  /** @param {Response} response */
  async #follow({ body }) {
    this.#words.textContent = 'A stream, shown as it comes.'
    const decoder = new TextDecoder()
    const reader = body?.getReader()
    this.#body.hidden = false
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      const text = this.#body.textContent + decoder.decode(part.value, { stream: true })
      this.#body.textContent = text.slice(-MOST)
      this.#body.scrollTop = this.#body.scrollHeight
    }
    this.#words.textContent = 'The stream has ended.'
  }
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // a proxy in front may answer in HTML; it is shown as it is
  }
}

/**
 * The limits in words.
 * @param {Headers} headers
 */
function limitsIn(headers) {
  const [left, limit] = ['X-RateLimit-Remaining', 'X-RateLimit-Limit'].map((name) =>
    Number(headers.get(name) ?? NaN).toLocaleString('en'),
  )
  const seconds = Number(headers.get('Retry-After'))
  const wait = seconds > 120 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} s`
  const tier = headers.get('X-Tier') === 'free' ? 'without a key' : 'with this key'
  const rest = headers.has('X-Tier') ? `${left} of ${limit} requests left this hour ${tier}.` : ''
  return headers.has('Retry-After') ? `${rest} Try again in ${wait}.` : rest
}
