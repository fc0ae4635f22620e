import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { KINDS, type Kind, type Target, targetOf } from '../../public/import-file.js'
import {
  endInWords,
  failureInWords,
  isOver,
  isRun,
  pauseFor,
  progressInWords,
  type Run,
  type RunItem,
} from '../../public/import-run.js'
import type { Context } from '../db/database'
import { findKeyFault } from '../gate/keys'
import { type Arguments, readServerAddress } from './arguments'

/** A client of the server that imports a file: sends it, follows the run, and can stop it. */

/** After this many failed requests in a row `follow` gives up. */
const MAX_FAILED_REQUESTS = 10
/** The number of requests for a cancelled run until it has ended. */
const MAX_POLLS_AFTER_CANCEL = 20
const REQUEST_TIMEOUT_MS = 30_000

interface Server extends Pick<Context, 'now'> {
  /** The base address, without a slash at the end. */
  readonly url: string
  readonly key: string
}

interface Answer {
  readonly status: number
  readonly body: unknown
  /** Seconds to wait, if the server says so. */
  readonly retryAfter: number | null
  /** Requests left in this hour, if the server says so. */
  readonly remaining: number | null
}

export type ImportClient = ReturnType<typeof createImportClient>

export function createImportClient({ url, key, now }: Server) {
  async function send(path: string, init: RequestInit): Promise<Answer> {
    const headers = { Accept: 'application/json', 'X-API-Key': key, ...init.headers }
    // Following a redirect could send the key to another server, and the proxy that HTTP_PROXY names could read it.
    const direct = url.startsWith('http:') ? { proxy: false as const } : {}
    return readAnswer(await fetch(`${url}/${path}`, { ...init, ...direct, headers, redirect: 'manual' }))
  }

  const requestRun = (id: string, query = '', method = 'GET') =>
    send(`api/imports/${encodeURIComponent(id)}${query}`, { method, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })

  return {
    /** Returns the run; null if `stop` was aborted before the whole file was sent. @throws Error of one sentence */
    async sendFile(
      file: Bun.BunFile,
      { path, type }: Target,
      dryRun: boolean,
      stop: AbortSignal,
      onSent: (sent: number, size: number) => void,
    ): Promise<Run | null> {
      const { size } = file
      const upload = new AbortController()
      let sent = 0
      // Once the server has the whole file, there is a run to stop instead.
      stop.addEventListener('abort', () => sent < size && upload.abort())
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          sent += chunk.length
          onSent(sent, size)
          controller.enqueue(chunk)
        },
      })
      const query = dryRun ? `${path.includes('?') ? '&' : '?'}dry_run=true` : ''
      const headers = { 'Content-Type': type, 'Content-Length': String(size), Prefer: 'respond-async' }
      const body = file.stream().pipeThrough(counted)
      const response = send(path + query, { method: 'POST', headers, body, signal: upload.signal })
      const answer = await response.catch((error: unknown) => {
        if (upload.signal.aborted) return null
        throw new Error(wasConnected(error) ? connectionBroken(url, sent === size) : noServer(url), { cause: error })
      })
      if (!answer) return null
      if (answer.status >= 300 || !isRun(answer.body)) throw new Error(describeRefusal(answer, url))
      return answer.body
    },

    /**
     * Polls a run until it has ended or `stop` is aborted, less often the longer it takes. Keeps polling while the
     * server is briefly unreachable, since a run continues after a restart. @throws Error of one sentence
     */
    async follow(run: Run, stop: AbortSignal, onProgress: (run: Run) => void): Promise<Run> {
      const began = now()
      let remaining: number | null = null
      let failures = 0
      let last = run
      for (let wait = 0; !isOver(last) && !stop.aborted; ) {
        onProgress(last)
        await pause(Math.max(wait, pauseFor(now() - began, remaining)), undefined, { signal: stop }).catch(() => {})
        if (stop.aborted) break
        const answer = await requestRun(run.id).catch(() => null)
        wait = 1000 * (answer?.retryAfter ?? 0)
        remaining = answer?.remaining ?? remaining
        if (answer && isRun(answer.body)) {
          last = answer.body
          failures = 0
        } else if (answer && answer.status !== 429 && answer.status < 500) throw new Error(describeRefusal(answer, url))
        else if (answer?.status !== 429 && ++failures >= MAX_FAILED_REQUESTS)
          throw new Error(`The server at ${url} no longer answers; the import ${run.id} continues when it is back.`)
      }
      return last
    },

    /** Stops a run on the server. Returns it in its final state. @throws Error of one sentence */
    async cancel(run: Run): Promise<Run> {
      let answer = await requestRun(run.id, '', 'DELETE').catch(() => null)
      for (let poll = 0; poll < MAX_POLLS_AFTER_CANCEL; poll++) {
        if (answer && isRun(answer.body) && isOver(answer.body)) return answer.body
        await pause(pauseFor(0, null) / 4)
        answer = await requestRun(run.id).catch(() => null)
      }
      throw new Error(`The server at ${url} did not confirm that the import ${run.id} has stopped; it may continue.`)
    },

    /** Lists the first failed items of a run that has ended; none if the server does not answer. */
    async listFailedItems(run: Run, limit: number): Promise<RunItem[]> {
      const answer = await requestRun(run.id, `?action=failed&limit=${limit}`).catch(() => null)
      return answer && isRun(answer.body) ? answer.body.items : []
    },
  }
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  let body: unknown = null
  try {
    body = JSON.parse(text)
  } catch {
    // A proxy may answer in HTML; its status is enough.
  }
  const header = (name: string) => {
    const value = response.headers.get(name)
    return value !== null && /^\d+$/.test(value) ? Number(value) : null
  }
  const answer = { status: response.status, body, retryAfter: header('Retry-After') }
  return { ...answer, remaining: header('X-RateLimit-Remaining') }
}

function describeRefusal({ status, body, retryAfter }: Answer, url: string): string {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : ''
  const again = retryAfter === null ? '' : ` Try again in ${retryAfter} s.`
  if (status >= 300 && status < 400) return `${url} redirects to another address: name that one with --url=.`
  if (detail === '') return `${url} answered with status ${status}: is it the address of a Satchel server?${again}`
  return `${detail}${again}`
}

/** Whether an established connection broke, as opposed to one that could not be made. */
const wasConnected = (error: unknown) =>
  error instanceof Error && 'code' in error && /^(ECONNRESET|EPIPE|ConnectionClosed)$/.test(String(error.code))
const noServer = (url: string) =>
  `No server answers at ${url}. Start it with \`satchel serve\`, or name it with --url=.`
const connectionBroken = (url: string, sent: boolean) =>
  sent
    ? `The connection to ${url} broke before it answered: the import may continue. Importing the file again duplicates nothing.`
    : `The connection to ${url} broke while the file was sent: nothing was imported. The file may be too large for the server.`

/** `satchel import FILE`: sends a file to a running server, and shows the progress and the result. */

/** The exit code if the run has ended and items failed. */
export const EXIT_SOME_FAILED = 2

export const IMPORT_OPTIONS = {
  '--url=ADDRESS': 'the server, such as http://127.0.0.1:3000; else the one at HOST and PORT',
  '--kind=KIND': `what is in the file: ${KINDS.join(', ')}; else the file shows it`,
  '--dry-run': 'only tells what would happen',
}
/** Failed items, and warnings about the file, that are printed. */
const MAX_PRINTED = 20

interface Deps extends Pick<Context, 'now'> {
  /** The value of SATCHEL_KEY; '' without one. */
  readonly key: string
  /** The address of the server, unless the command line names another. */
  readonly url: string
}

/**
 * Runs the command. Returns the exit code: 0 if everything was imported, EXIT_SOME_FAILED if items failed, 1 if the run
 * failed or was stopped. Ctrl-C stops the run on the server; a second Ctrl-C only ends the command.
 * @throws Error of one sentence if there was no run
 */
export async function importFile(file: string, given: Arguments['options'], deps: Deps): Promise<number> {
  const { kind } = given
  if (!isKind(kind)) throw new Error(`The kind must be one of ${KINDS.join(', ')}.`)
  const options = { file, kind, url: readServerAddress(given.url ?? deps.url), dryRun: given['dry-run'] !== undefined }
  const fault = deps.key === '' ? null : findKeyFault(deps.key)
  if (deps.key === '') throw new Error('Set SATCHEL_KEY to your key; `satchel key` prints a new one.')
  if (fault) throw new Error(`The key in SATCHEL_KEY ${fault}.`)
  requireFile(options.file)
  const target = await targetOf(Bun.file(options.file), basename(options.file), options.kind)
  const client = createImportClient({ url: options.url, key: deps.key, now: deps.now })
  const progress = createProgressDisplay(process.stderr)
  const stop = new AbortController()
  const onInterrupt = () => stop.abort()
  process.once('SIGINT', onInterrupt)
  try {
    const run = await runToEnd(client, options, target, stop.signal, progress)
    progress.end()
    if (run) return await report(client, run)
    print('Stopped before the server had the whole file: nothing was imported.')
    return 1
  } finally {
    progress.end()
    process.off('SIGINT', onInterrupt)
  }
}

/** Sends the file and follows the run. Returns the ended run; null if it was stopped before the server had the file. */
async function runToEnd(
  client: ImportClient,
  { file, dryRun }: { file: string; url: string; kind: Kind | undefined; dryRun: boolean },
  target: Target,
  stop: AbortSignal,
  progress: ProgressDisplay,
): Promise<Run | null> {
  const name = basename(file)
  progress.say(`Importing ${name} as ${target.kind}${dryRun ? ', as a dry run' : ''}.`)
  const started = await client.sendFile(Bun.file(file), target, dryRun, stop, (sent, size) =>
    progress.show('sending', sent, size, `${Math.floor((100 * sent) / Math.max(1, size))} % sent`),
  )
  const showProgress = (run: Run) => progress.show(run.state, run.done, run.total, progressInWords(run))
  const run = started && (await client.follow(started, stop, showProgress))
  return run && !isOver(run) ? client.cancel(run) : run
}

async function report(client: ImportClient, run: Run): Promise<number> {
  print(endInWords(run))
  for (const { detail } of run.warnings.slice(0, MAX_PRINTED)) print(`  ${detail}`)
  const failed = run.totals.failed ?? 0
  if (failed > 0) {
    const items = await client.listFailedItems(run, MAX_PRINTED)
    if (items.length === 0) print(`Those that failed are in the report: GET /api/imports/${run.id}.`)
    else print(items.length < failed ? `The first ${items.length} that failed:` : 'Failed:')
    for (const item of items) print(`  ${failureInWords(item)}`)
  }
  if (run.state !== 'done') return 1
  return failed > 0 ? EXIT_SOME_FAILED : 0
}

function isKind(text: string | undefined): text is Kind | undefined {
  return text === undefined || KINDS.some((kind) => kind === text)
}

function requireFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) throw new Error(`${path} does not exist.`)
  if (stats.isDirectory()) throw new Error(`${path} is a folder: put it into a zip first.`)
}

/** Replaces characters that control a terminal or the direction of text, which names in a file may hold. */
function print(text: string): void {
  process.stdout.write(`${text.replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD')}\n`)
}

/** Shows the progress of long work: as one changing line on a terminal, as plain lines elsewhere. */

/** Characters between the brackets of the bar. */
const BAR_WIDTH = 24
/** The percentage between two plain lines. */
const STEP_PERCENT = 10
/** The width of a terminal that does not state it. */
const DEFAULT_COLUMNS = 80

interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

interface ProgressDisplay {
  /** Writes a line that stays. */
  say(text: string): void
  show(phase: string, done: number, total: number | null, words: string): void
  /** Removes the bar. May be called again. */
  end(): void
}

export function createProgressDisplay(output: Output): ProgressDisplay {
  return output.isTTY ? createBar(output) : createLines(output)
}

function createBar(output: Output): ProgressDisplay {
  let shown = ''
  const clear = () => {
    if (shown) output.write('\r\x1b[K')
    shown = ''
  }
  return {
    say(text) {
      clear()
      output.write(`${text}\n`)
    },
    show(_phase, done, total, words) {
      const filled = Math.min(BAR_WIDTH, total ? Math.floor((BAR_WIDTH * done) / total) : 0)
      const line = `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${words}`
      // The last column stays free, since some terminals wrap there.
      const visible = line.slice(0, (output.columns || DEFAULT_COLUMNS) - 1)
      if (visible === shown) return
      output.write(`\r\x1b[K${visible}`)
      shown = visible
    },
    end: clear,
  }
}

function createLines(output: Output): ProgressDisplay {
  let shown = ''
  return {
    say: (text) => void output.write(`${text}\n`),
    show(phase, done, total, words) {
      const step = total ? `${phase} ${Math.floor((100 * done) / total / STEP_PERCENT)}` : phase
      if (step !== shown) output.write(`${words}\n`)
      shown = step
    },
    end() {},
  }
}
