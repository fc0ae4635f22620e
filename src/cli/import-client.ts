import { setTimeout as pause } from 'node:timers/promises'
import type { Target } from '../../public/import-file.js'
import { isOver, isRun, pauseFor, type Run, type RunItem } from '../../public/import-run.js'

/** Imports as a client of the server: sends the file, follows the run, stops it. */

/** How often in a row the server may leave a question about a run without an answer. */
const UNANSWERED = 10
/** How often a run that was cancelled is looked at until it is over. */
const LOOKS_AFTER_CANCEL = 20
/** Milliseconds that the server has for an answer about a run. */
const ANSWER_MS = 30_000

interface Server {
  /** Without a slash at the end. */
  readonly url: string
  readonly key: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

interface Answer {
  readonly status: number
  readonly body: unknown
  /** Seconds to wait, where the server says so. */
  readonly retryAfter: number | null
  /** Requests that are left of the hour. */
  readonly remaining: number | null
}

export type ImportClient = ReturnType<typeof createImportClient>

export function createImportClient({ url, key, now }: Server) {
  async function ask(path: string, init: RequestInit): Promise<Answer> {
    const headers = { Accept: 'application/json', 'X-API-Key': key, ...init.headers }
    // A redirect would carry the key to wherever it leads.
    return readAnswer(await fetch(`${url}/${path}`, { ...init, headers, redirect: 'manual' }))
  }

  const askOfRun = (id: string, query = '', method = 'GET') =>
    ask(`api/imports/${encodeURIComponent(id)}${query}`, { method, signal: AbortSignal.timeout(ANSWER_MS) })

  return {
    /**
     * Sends the file, in pieces as they are taken. The run that it became; null if `stop` came before all of it was sent.
     * Throws an Error of one sentence.
     */
    async send(
      file: Bun.BunFile,
      { path, type }: Target,
      dryRun: boolean,
      stop: AbortSignal,
      onSent: (sent: number, size: number) => void,
    ): Promise<Run | null> {
      const { size } = file
      const upload = new AbortController()
      let sent = 0
      // Once the server has it all, there is a run to be stopped instead.
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
      const asked = ask(path + query, { method: 'POST', headers, body, signal: upload.signal })
      const answer = await asked.catch((error: unknown) => {
        if (upload.signal.aborted) return null
        throw new Error(wasConnected(error) ? broken(url, sent === size) : unreachable(url), { cause: error })
      })
      if (!answer) return null
      if (answer.status >= 300 || !isRun(answer.body)) throw new Error(sentenceFor(answer, url))
      return answer.body
    },

    /**
     * Looks at a run until it is over or `stop` comes, more rarely the longer it takes. Goes on looking while the server is
     * away for a while, since a run goes on after a restart. Throws an Error of one sentence.
     */
    async follow(run: Run, stop: AbortSignal, onProgress: (run: Run) => void): Promise<Run> {
      const began = now()
      let remaining: number | null = null
      let unanswered = 0
      let last = run
      for (let wait = 0; !isOver(last) && !stop.aborted; ) {
        onProgress(last)
        await pause(Math.max(wait, pauseFor(now() - began, remaining)), undefined, { signal: stop }).catch(() => {})
        if (stop.aborted) break
        const answer = await askOfRun(run.id).catch(() => null)
        wait = 1000 * (answer?.retryAfter ?? 0)
        remaining = answer?.remaining ?? remaining
        if (answer && isRun(answer.body)) {
          last = answer.body
          unanswered = 0
        } else if (answer && answer.status !== 429 && answer.status < 500) throw new Error(sentenceFor(answer, url))
        else if (answer?.status !== 429 && ++unanswered >= UNANSWERED)
          throw new Error(`The server at ${url} no longer answers; the import ${run.id} goes on when it is back.`)
      }
      return last
    },

    /** Stops a run on the server, and gives it as it ended. Throws an Error of one sentence. */
    async cancel(run: Run): Promise<Run> {
      let answer = await askOfRun(run.id, '', 'DELETE').catch(() => null)
      for (let look = 0; look < LOOKS_AFTER_CANCEL; look++) {
        if (answer && isRun(answer.body) && isOver(answer.body)) return answer.body
        await pause(pauseFor(0, null) / 4)
        answer = await askOfRun(run.id).catch(() => null)
      }
      throw new Error(`The server at ${url} did not say that the import ${run.id} has stopped; it may go on.`)
    },

    /** The first items that failed, of a run that is over; none where the server does not say. */
    async failedItems(run: Run, limit: number): Promise<RunItem[]> {
      const answer = await askOfRun(run.id, `?action=failed&limit=${limit}`).catch(() => null)
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
    // A proxy in front may answer in HTML: its status says enough.
  }
  const header = (name: string) => {
    const value = response.headers.get(name)
    return value !== null && /^\d+$/.test(value) ? Number(value) : null
  }
  const answer = { status: response.status, body, retryAfter: header('Retry-After') }
  return { ...answer, remaining: header('X-RateLimit-Remaining') }
}

/** Why the server took nothing, in its own words where it has some. */
function sentenceFor({ status, body, retryAfter }: Answer, url: string): string {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : ''
  const again = retryAfter === null ? '' : ` Try again in ${retryAfter} s.`
  if (status >= 300 && status < 400) return `${url} sends to another address: name that one with --url=.`
  if (detail === '') return `${url} answered with status ${status}: is it the address of a Satchel server?${again}`
  return `${detail}${again}`
}

/** Whether it was a connection that broke, and not one that never came about. */
const wasConnected = (error: unknown) =>
  error instanceof Error && 'code' in error && /^(ECONNRESET|EPIPE|ConnectionClosed)$/.test(String(error.code))
const unreachable = (url: string) =>
  `No server answers at ${url}. Start it with \`satchel serve\`, or name it with --url=.`
const broken = (url: string, sent: boolean) =>
  sent
    ? `The connection to ${url} broke before it answered: the import may go on. Importing the file again makes nothing twice.`
    : `The connection to ${url} broke while the file was sent: nothing was imported. The file may be larger than it takes.`
