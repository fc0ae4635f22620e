import { readlinkSync } from 'node:fs'
import { renderHtml, type ShownPictures } from './render.ts'

/** The request of render-in-worker.ts: a body, and the note ids that its links resolve to. */
export interface RenderRequest {
  readonly markdown: string
  readonly targets: ReadonlyMap<string, string>
  readonly shown: ShownPictures
}

/** The first message of the worker, sent once when rendering can begin. */
export interface RenderReady {
  /** This thread's number in `/proc/self/task`; null where the system has no such folder. */
  readonly thread: string | null
}

/** The reply to one request. */
export interface RenderReply {
  /** Null: the body is too complex. */
  readonly html: string | null
}

function readThreadNumber(): string | null {
  try {
    return readlinkSync('/proc/thread-self').split('/').at(-1) ?? null
  } catch {
    return null
  }
}

function handleRequest({ markdown, targets, shown }: RenderRequest): RenderReply {
  try {
    return { html: renderHtml(markdown, (target) => targets.get(target) ?? null, shown) }
  } catch (error) {
    // A stack overflow is a RangeError as well. Any other error is a bug: it ends the worker, and the main thread logs
    // it.
    if (error instanceof RangeError) return { html: null }
    throw error
  }
}

self.addEventListener('message', ({ data }: MessageEvent<RenderRequest>) => self.postMessage(handleRequest(data)))
self.postMessage({ thread: readThreadNumber() } satisfies RenderReady)
