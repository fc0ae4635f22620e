/** Imports of files: tried first without changing anything, then done, both followed to their end. */
import { signal } from '@preact/signals'
import { type Kind, targetOf, UnknownFile } from '../../public/import-file.js'
import { endInWords, isOver, pauseFor, progressInWords } from '../../public/import-run.js'
import { browserStorage } from '../../public/key-store.js'
import { hour, inWords, Refused, Unreachable } from '../api/client'
import type { ImportReport } from '../api/types'
import type { Workspace } from '../data/workspace'
import { reader, say } from '../words/say'
import { sendFile } from './upload'

/** In the storage of the tab while an import runs: its id, or nothing before the server has sent it. */
const SLOT = 'satchel.import'
/** Items of a report that are shown. */
export const SHOWN_ITEMS = 20

interface Taken {
  readonly file: File
  readonly path: string
  readonly type: string
  readonly kind: Kind
}

/** A file with what became of it. */
export interface Ended {
  readonly name: string
  readonly run: ImportReport
  /** Items that failed, and those that were skipped with a reason. */
  readonly troubles: readonly ImportReport['items'][number][]
}

/** A run as the list of imports has it. */
type ImportSummary = Pick<ImportReport, 'id' | 'kind' | 'state' | 'dry_run'>

/** What is on its way. `share` is from 0 to 1; null: unknown. */
interface Progress {
  readonly name: string
  readonly words: string
  readonly share: number | null
  readonly detail: string
}

interface Outcome {
  readonly ended: readonly Ended[]
  readonly words: string
  /** Names of files that were not begun, since one before them was stopped or refused. */
  readonly left: readonly string[]
  /** Whether the same files can now be imported: this was a dry run of all of them. */
  readonly isPlan: boolean
}

export type Importer = ReturnType<typeof createImporter>

/** @param isOpen whether the workspace is still the one that the app shows: else nothing is followed */
export function createImporter({ key, api, sync }: Workspace, isOpen: () => boolean) {
  const progress = signal<Progress | null>(null)
  const outcome = signal<Outcome | null>(null)
  /** Why files cannot be imported, in sentences. */
  const faults = signal<readonly string[]>([])
  const tab = browserStorage('sessionStorage')
  let taken: readonly Taken[] = []
  let stop = new AbortController()
  let hasLooked = false

  const ask = (id: string, query: Record<string, string | number> = {}) =>
    api.call<ImportReport>({ path: `api/imports/${id}`, query: { limit: SHOWN_ITEMS, ...query } })

  const show = (name: string, run: ImportReport) => {
    const isRunning = run.state === 'running' && !stop.signal.aborted
    progress.value = {
      name,
      words: stop.signal.aborted
        ? say`Stopping.`
        : isRunning
          ? run.dry_run
            ? say`Trying.`
            : say`Importing.`
          : progressInWords(run, reader),
      share: isRunning && run.total ? run.done / run.total : null,
      detail: isRunning ? progressInWords(run, reader) : '',
    }
  }

  async function send({ file, path, type }: Taken, isDry: boolean): Promise<ImportReport> {
    tab?.setItem(SLOT, '')
    const sending = new AbortController()
    let isSent = false
    // Once the server has it all, there is a run to be stopped instead.
    stop.signal.addEventListener('abort', () => isSent || sending.abort(stop.signal.reason))
    const onSent = (share: number) => {
      isSent = share === 1
      const detail = say`${Math.floor(100 * share)} % sent`
      progress.value = { name: file.name, words: say`Sending the file.`, share, detail }
    }
    onSent(0)
    const query = isDry ? `${path.includes('?') ? '&' : '?'}dry_run=true` : ''
    const run = await sendFile({ path: path + query, file, type, key, signal: sending.signal, onSent })
    tab?.setItem(SLOT, run.id)
    return run
  }

  /** Looks at a run until it is over, and stops it when the person cancels. Null: another workspace was opened. */
  async function follow(name: string, run: ImportReport): Promise<ImportReport | null> {
    const began = Date.now()
    let last = run
    let wait = 0
    for (let hasAsked = false, isTold = false; !isOver(last); ) {
      show(name, last)
      const { aborted } = stop.signal
      // Stopping comes first; after that no press shortens the pause.
      if (!aborted || hasAsked) {
        const pause = aborted ? pauseFor(0, null) : pauseFor(Date.now() - began, hour.peek()?.remaining ?? null)
        await sleep(Math.max(wait, pause), aborted ? null : stop.signal)
      }
      if (!isOpen()) return null
      if (!aborted && stop.signal.aborted) continue
      hasAsked = aborted
      try {
        const isStopping: boolean = aborted && !isTold
        last = await (isStopping
          ? api.call<ImportReport>({ method: 'DELETE', path: `api/imports/${run.id}` })
          : ask(run.id))
        isTold ||= isStopping
        wait = 0
      } catch (error) {
        wait = waitAfter(error)
      }
    }
    return last
  }

  /** What became of a run, with its first items and those that failed. */
  async function report(name: string, run: ImportReport): Promise<Ended> {
    const troubles: ImportReport['items'][number][] = []
    for (const action of ['failed', 'skipped'] as const) {
      if (run.totals[action] === 0) continue
      const { items } = await ask(run.id, { action })
      troubles.push(...items.filter(({ warnings }) => action === 'failed' || warnings.length > 0))
    }
    return { name, run, troubles }
  }

  /** Takes one run to its end. Returns it, or the sentence that says why there is none. */
  async function take(name: string, begin: () => Promise<ImportReport>): Promise<Ended | string | null> {
    let isSent = false
    try {
      const run = await begin()
      isSent = true
      const last = await follow(name, run)
      if (!last) return null
      tab?.removeItem(SLOT)
      return await report(name, last)
    } catch (error) {
      tab?.removeItem(SLOT)
      if (stop.signal.aborted && !isSent)
        return say`Cancelled before the server had the whole file: nothing was imported.`
      if (error instanceof Unreachable && !isSent)
        return say`The connection broke while the file was sent. It may be larger than the server takes. Importing it again makes nothing twice.`
      return inWords(error)
    }
  }

  async function runAll(files: readonly Taken[], isDry: boolean): Promise<void> {
    stop = new AbortController()
    const ended: Ended[] = []
    for (const [place, each] of files.entries()) {
      const came = await take(each.file.name, () => send(each, isDry))
      if (came === null) break
      if (typeof came !== 'string') ended.push(came)
      const isDone = typeof came !== 'string' && came.run.state === 'done'
      outcome.value = {
        ended: [...ended],
        words: typeof came === 'string' ? came : endInWords(came.run, say),
        left: isDone ? [] : files.slice(place + 1).map(({ file }) => file.name),
        isPlan: isDry && isDone && place === files.length - 1,
      }
      if (!isDone) break
    }
    progress.value = null
    if (!isDry && ended.length > 0) await sync.pull()
  }

  return {
    progress,
    outcome,
    faults,

    /** Shows what an import of files would do. Nothing happens while another import is on its way. */
    async plan(files: readonly File[]): Promise<void> {
      if (progress.peek() || files.length === 0) return
      progress.value = { name: '', words: say`Looking at the files.`, share: null, detail: '' }
      outcome.value = null
      const targets = await Promise.all(files.map(targetOrFault))
      faults.value = targets.filter((target) => typeof target === 'string')
      taken = targets.filter((target) => typeof target !== 'string')
      await runAll(taken, true)
    },

    /** Imports the files whose dry run is shown. */
    async run(): Promise<void> {
      if (progress.peek() || !outcome.peek()?.isPlan) return
      outcome.value = null
      await runAll(taken, false)
    },

    cancel: (): void => stop.abort(),

    /** Goes on to show an import that an earlier page began, or another device. Asks the server once. */
    async findAgain(): Promise<void> {
      if (hasLooked || progress.peek()) return
      hasLooked = true
      const id = tab?.getItem(SLOT)
      const runs = await api.call<{ items: ImportSummary[] }>({ path: 'api/imports' }).catch(inWords)
      // An earlier import that cannot be read is no reason to disturb a person who wants to choose a file.
      const found = typeof runs === 'string' ? undefined : runs.items.find((run) => (id ? run.id === id : isShown(run)))
      if (!found || progress.peek()) return
      stop = new AbortController()
      const name =
        found.id === id ? say`The import before this page was loaded` : say`An import that was begun elsewhere`
      const came = await take(name, () => ask(found.id))
      progress.value = null
      if (came === null) return
      const words = typeof came === 'string' ? came : endInWords(came.run, say)
      outcome.value = { ended: typeof came === 'string' ? [] : [came], words, left: [], isPlan: false }
      if (!found.dry_run) await sync.pull()
    },
  }
}

const IMPORTS = ['notes', 'tasks', 'flashcards', 'workspace']

/** Whether a run is shown that this page did not start: an import that goes on. */
const isShown = (run: ImportSummary) => !/^(?:done|failed|cancelled)$/.test(run.state) && IMPORTS.includes(run.kind)

/** Milliseconds that the server wants to be left alone after a failure that may pass; other failures are thrown. */
export function waitAfter(error: unknown): number {
  if (error instanceof Unreachable) return 0 // A run goes on after a restart of the server.
  if (error instanceof Refused && (error.status === 429 || error.status >= 500)) return 1000 * (error.retryAfter ?? 0)
  throw error
}

/** Where a file goes; or why it goes nowhere, in a sentence. */
export async function targetOrFault(file: File): Promise<Taken | string> {
  if (file.size === 0) return say`${file.name} is empty, or a folder: that can be imported as a zip.`
  try {
    const head = await file.slice(0, 200).text()
    if (/^\s*\{\s*"about": "Keys to Satchel/.test(head))
      return say`${file.name} holds keys: open it under “Keys”, as a key file.`
    return { file, ...(await targetOf(file, file.name, undefined, say)) }
  } catch (error) {
    if (error instanceof UnknownFile) return error.message
    if (error instanceof DOMException) return say`${file.name} cannot be read. A folder can be imported as a zip.`
    throw error
  }
}

function sleep(ms: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
