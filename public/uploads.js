/** Importing files: sends them one by one, shows how far the server is, stops it, and shows the result. */

import { reasonOf, send, sendFile } from './api.js'
import { byId, element } from './dom.js'
import { targetOf, UnknownFile } from './import-file.js'
import { endInWords, failureInWords, isOver, isRun, pauseFor, progressInWords, tableOf } from './import-run.js'
import { browserStorage } from './key-store.js'

/**
 * @typedef {import('./api.js').Answer} Answer
 * @typedef {import('./api.js').Unreachable} Unreachable
 * @typedef {import('./import-run.js').Run} Run
 */

/** In the storage of the tab while an import runs: its id, or nothing before the server has sent it. */
const SLOT = 'satchel.import'
const tab = browserStorage('sessionStorage')
/** Items that failed, and warnings, that are shown. */
const SHOWN = 20
/** Sentences about files that are not sent. */
const FAULTS_SHOWN = 3
/** Milliseconds that the server has for an answer about a run. */
const TIMEOUT_MS = 30_000
/** @type {Unreachable} */
const UNREACHABLE = { kind: 'unreachable' }

/** What ended an import before there was a run that is over, in a sentence. */
class Trouble extends Error {}

/** Whether files are looked at or imported: a second press in the meantime does nothing. */
let isBusy = false

/**
 * Imports the files that the form holds, or shows what that would do.
 * @param {string | null} key
 * @param {() => void} onEnd called when one is over: the figures have changed
 * @param {boolean} dry
 */
export async function importChosen(key, onEnd, dry) {
  const files = [...(byId('upload-file', HTMLInputElement).files ?? [])]
  if (files.length === 0 || isBusy || byId('upload-start', HTMLElement).ariaDisabled === 'true') return
  isBusy = true
  try {
    await importFiles(files, key, onEnd, dry)
  } finally {
    isBusy = false
  }
}

/**
 * @param {readonly File[]} files
 * @param {string | null} key
 * @param {() => void} onEnd
 * @param {boolean} dry
 */
async function importFiles(files, key, onEnd, dry) {
  byId('upload-go', HTMLElement).hidden = true
  showFault('')
  /** @type {string[]} */
  const faults = []
  /** @type {{ file: File, path: string, type: string }[]} */
  const taken = []
  for (const file of files) {
    const target = await targetOrFault(file)
    if (typeof target === 'string') faults.push(target)
    else taken.push({ file, ...target })
  }
  const more = faults.length - FAULTS_SHOWN
  showFault([...faults.slice(0, FAULTS_SHOWN), ...(more > 0 ? [`${more} more cannot be imported.`] : [])].join(' '))
  /** @type {{ name: string, run: Run }[]} */
  const ended = []
  for (const [place, { file, path, type }] of taken.entries()) {
    const query = dry ? `${path.includes('?') ? '&' : '?'}dry_run=true` : ''
    const run = await new Upload(key, onEnd).start(path + query, file, type, ended)
    if (run?.state !== 'done') return showLeft(taken.slice(place + 1).map(({ file }) => file.name))
  }
  byId('upload-go', HTMLElement).hidden = !dry || taken.length === 0
}

/**
 * Where a file goes; or why it goes nowhere, in a sentence.
 * @param {File} file
 */
async function targetOrFault(file) {
  if (file.size === 0) return `${file.name} is empty, or a folder: that can be imported as a zip.`
  try {
    const head = await file.slice(0, 200).text()
    if (/^\s*\{\s*"about": "Keys to Satchel/.test(head))
      return `${file.name} holds keys: open it under “Add a key you already have”.`
    return await targetOf(file, file.name)
  } catch (error) {
    if (error instanceof UnknownFile) return error.message
    if (error instanceof DOMException) return `${file.name} cannot be read. A folder can be imported as a zip.`
    throw error
  }
}

/**
 * After a reload: what the page was showing goes on, if the server still knows it.
 * @param {string | null} key
 * @param {() => void} onEnd called when it is over
 */
export function findImport(key, onEnd) {
  return new Upload(key, onEnd).findAgain()
}

/** One import, from the file to its end. The page shows one at a time. */
class Upload {
  #key
  #onEnd
  /** Aborted when the person cancels. */
  #stop = new AbortController()
  /** Requests that are left of the hour, as far as is known. */
  #remaining = /** @type {number | null} */ (null)

  /**
   * @param {string | null} key
   * @param {() => void} onEnd
   */
  constructor(key, onEnd) {
    this.#key = key
    this.#onEnd = onEnd
  }

  /**
   * @param {string} path
   * @param {File} file
   * @param {string} type
   * @param {{ name: string, run: Run }[]} ended those before it, shown in the same table; this one is added
   * @returns {Promise<Run | undefined>} nothing if there was no run that ended
   */
  start(path, file, type, ended) {
    return this.#show(file.name, async () => this.#followed(await this.#sent(path, file, type)), ended)
  }

  async findAgain() {
    const id = tab?.getItem(SLOT)
    const run = this.#runs(await this.#ask('GET', 'api/imports')).find((one) => (id ? one.id === id : !isOver(one)))
    if (run) await this.#show('The import before this page was loaded', () => this.#followed(run), [])
    else tab?.removeItem(SLOT)
  }

  /** @param {Answer | Unreachable} answer */
  #runs(answer) {
    const body = answer.kind === 'answer' ? answer.body : null
    const items = typeof body === 'object' && body !== null && 'items' in body ? body.items : null
    return Array.isArray(items) ? items.filter(isRun) : []
  }

  /**
   * Shows an import from its beginning to its end, whatever that is.
   * @param {string} name
   * @param {() => Promise<Run>} work
   * @param {{ name: string, run: Run }[]} ended
   */
  async #show(name, work, ended) {
    const cancel = byId('upload-cancel', HTMLButtonElement)
    cancel.onclick = () => this.#stop.abort()
    showMoving(true)
    byId('upload-name', HTMLElement).textContent = name
    if (ended.length === 0) for (const id of ['upload-report', 'upload-table']) byId(id, HTMLElement).replaceChildren()
    try {
      const run = await work()
      ended.push({ name, run })
      showState(endInWords(run))
      showTable(ended)
      await this.#report(run)
      return run
    } catch (error) {
      if (error instanceof Trouble) showState(error.message)
      else if (this.#stop.signal.aborted)
        showState('Cancelled before the server had the whole file: nothing was imported.')
      else throw error
    } finally {
      tab?.removeItem(SLOT)
      showMoving(false)
      this.#onEnd()
    }
  }

  /**
   * Sends the file; the run that it became.
   * @param {string} path
   * @param {File} file
   * @param {string} type
   */
  async #sent(path, file, type) {
    showState('Sending the file.')
    showBar(0, null, '')
    tab?.setItem(SLOT, '')
    const sending = new AbortController()
    let all = false
    // Once the server has it all, there is a run to be stopped instead.
    this.#stop.signal.addEventListener('abort', () => all || sending.abort(this.#stop.signal.reason))
    const body = { file, type, prefer: 'respond-async' }
    const answer = await sendFile(path, body, this.#key, sending.signal, (sent, size) => {
      all = sent === size
      showBar(sent, size, `${Math.floor((100 * sent) / Math.max(1, size))} % sent`)
    })
    if (answer.kind === 'unreachable')
      throw new Trouble(
        all
          ? 'The connection broke before the server answered: the import may go on. Importing the file again makes nothing twice.'
          : 'The connection broke: nothing was imported. The file may be larger than the server takes.',
      )
    if (!answer.ok || !isRun(answer.body)) throw new Trouble(reasonOf(answer))
    tab?.setItem(SLOT, answer.body.id)
    return answer.body
  }

  /**
   * Looks at a run until it is over; stops it when the person cancels.
   * @param {Run} run
   */
  async #followed(run) {
    const began = performance.now()
    const { signal } = this.#stop
    let last = run
    for (let wait = 0, asked = false, told = false; !isOver(last); ) {
      const stopping = signal.aborted
      const running = last.state === 'running'
      showState(stopping ? 'Stopping.' : running ? 'Importing.' : progressInWords(last))
      showBar(last.done, running ? last.total : null, running ? progressInWords(last) : '')
      // Once it is to stop, that comes first, and then looks that nobody can hurry.
      if (!stopping || asked) {
        const pause = stopping ? pauseFor(0, null) : pauseFor(performance.now() - began, this.#remaining)
        await new Promise((go) => {
          setTimeout(go, Math.max(wait, pause))
          if (!stopping) signal.addEventListener('abort', go)
        })
      }
      if (!stopping && signal.aborted) continue
      const answer = await this.#ask(stopping && !told ? 'DELETE' : 'GET', `api/imports/${run.id}`)
      asked = stopping
      told ||= stopping && answer.kind === 'answer' && answer.ok // told 429 or 503, the server does not stop it
      wait = 1000 * this.#noted(answer)
      if (answer.kind === 'answer' && isRun(answer.body)) last = answer.body
    }
    return last
  }

  /**
   * Takes note of how many requests are left. Seconds that the server wants to be left alone.
   * @param {Answer | Unreachable} answer
   */
  #noted(answer) {
    if (answer.kind === 'unreachable') return 0 // a run goes on after a restart of the server
    const headers = new Map(answer.limit_headers)
    this.#remaining = Number(headers.get('X-RateLimit-Remaining') ?? Number.NaN) || this.#remaining
    if (!answer.ok && answer.status !== 429 && answer.status < 500) throw new Trouble(reasonOf(answer))
    return Number(headers.get('Retry-After')) || 0
  }

  /**
   * Warnings of the file, and the first items that failed.
   * @param {Run} run
   */
  async #report(run) {
    /** @type {string[]} */
    const lines = run.warnings.map(({ detail }) => detail)
    for (const action of ['failed', 'skipped']) {
      const number = run.totals[action] ?? 0
      const query = `?action=${action}&limit=${SHOWN}`
      const answer = number > 0 ? await this.#ask('GET', `api/imports/${run.id}${query}`) : null
      const items = answer?.kind === 'answer' && isRun(answer.body) ? answer.body.items : []
      lines.push(...items.filter(({ warnings }) => action === 'failed' || warnings.length > 0).map(failureInWords))
      if (action === 'failed' && number > items.length) lines.push(`${number - items.length} more failed.`)
    }
    byId('upload-report', HTMLElement).append(...lines.map((text) => element('li', {}, text)))
  }

  /**
   * @param {'GET' | 'DELETE'} method
   * @param {string} path
   */
  #ask(method, path) {
    return send({ method, path }, this.#key, AbortSignal.timeout(TIMEOUT_MS)).catch(() => UNREACHABLE)
  }
}

/** @param {string[]} names of files that were not begun since one before them was stopped or broke */
function showLeft(names) {
  if (names.length > 0) byId('upload-report', HTMLElement).append(element('li', {}, `Not begun: ${names.join(', ')}.`))
}

/** @param {string} words empty: there is none */
function showFault(words) {
  byId('upload-fault', HTMLElement).textContent = words
  byId('upload-file', HTMLElement).ariaInvalid = words ? 'true' : 'false'
}

/** @param {boolean} moving */
function showMoving(moving) {
  byId('upload-run', HTMLElement).hidden = false
  byId('upload-start', HTMLElement).ariaDisabled = String(moving)
  // Whoever pressed Cancel does not lose the focus with the button.
  if (!moving && document.activeElement?.id === 'upload-cancel') byId('upload-start', HTMLElement).focus()
  byId('upload-moving', HTMLElement).hidden = !moving
}

/** @param {{ name: string, run: Run }[]} ended */
function showTable(ended) {
  const [head, ...rows] = tableOf(ended)
  if (!head) return
  const table = element('table', { 'aria-labelledby': 'upload-name' })
  table.append(
    element('thead', {}, element('tr', {}, ...head.map((text) => element('th', { scope: 'col' }, text)))),
    element(
      'tbody',
      {},
      ...rows.map(([what = '', ...cells]) =>
        element('tr', {}, element('th', { scope: 'row' }, what), ...cells.map((text) => element('td', {}, text))),
      ),
    ),
  )
  byId('upload-table', HTMLElement).replaceChildren(table)
}

/** @param {string} words read out by a screen reader when they change */
function showState(words) {
  const state = byId('upload-state', HTMLElement)
  if (state.textContent !== words) state.textContent = words
}

/**
 * @param {number} done
 * @param {number | null} total null: nobody knows yet
 * @param {string} words
 */
function showBar(done, total, words) {
  const bar = byId('upload-bar', HTMLProgressElement)
  if (total) bar.value = done / total
  else bar.removeAttribute('value')
  byId('upload-words', HTMLElement).textContent = words
}
