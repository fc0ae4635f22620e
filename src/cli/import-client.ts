import { setTimeout as pause } from 'node:timers/promises'
import type { Target } from '../../public/import-file.js'
import { isOver, isRun, pauseFor, type Run, type RunItem } from '../../public/import-run.js'
import type { Context } from '../db/database'

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
