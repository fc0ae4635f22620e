import { readlinkSync } from 'node:fs'
import { renderHtml } from './render.ts'

/** What renderer.ts sends: a body, and the note ids that its links lead to. */
export interface RenderRequest {
  readonly markdown: string
  readonly targets: ReadonlyMap<string, string>
}

/** Sent once, when rendering can begin. */
export interface RenderReady {
  /** This thread's number in `/proc/self/task`; null where the system has no such folder. */
  readonly thread: string | null
}

/** Sent once for each request; null when the body is too complex. */
export interface RenderReply {
  readonly html: string | null
}

function readThreadNumber(): string | null {
  try {
    return readlinkSync('/proc/thread-self').split('/').at(-1) ?? null
  } catch {
    return null
  }
}

function handleRequest({ markdown, targets }: RenderRequest): RenderReply {
  try {
    return { html: renderHtml(markdown, (target) => targets.get(target) ?? null) }
  } catch (error) {
    // Also what an overflow of the stack throws. Anything else is a fault and ends the worker, which is seen.
    if (error instanceof RangeError) return { html: null }
    throw error
  }
}

self.addEventListener('message', ({ data }: MessageEvent<RenderRequest>) => self.postMessage(handleRequest(data)))
self.postMessage({ thread: readThreadNumber() } satisfies RenderReady)
