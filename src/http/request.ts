import { Elysia } from 'elysia'
import type { Session } from '../db/database'
import type { Tagged } from './conditional'
import type { Outcome, RunOnce } from './idempotency'
import { changed, send, sendResource } from './responses'

interface Deps {
  /** Returns the session of a request. @throws ApiError unavailable while its workspace is being erased */
  readonly sessionOf: (request: Request) => Session
  readonly runOnce: RunOnce
  readonly requestIdOf: (request: Request) => string
}

class Reply {
  readonly #request: Request
  readonly #set: ResponseSettings
  readonly #requestIdOf: (request: Request) => string

  constructor(request: Request, set: ResponseSettings, requestIdOf: (request: Request) => string) {
    this.#request = request
    this.#set = set
    this.#requestIdOf = requestIdOf
  }

  get requestId(): string {
    return this.#requestIdOf(this.#request)
  }

  /** Responds with a resource that was read: 200 with its ETag, or 304 if the caller already has it. */
  read<Resource>(tagged: Tagged<Resource>): Resource {
    return sendResource(this.#request, this.#set, tagged)
  }

  /** Responds with a resource that was changed: 200 with its ETag. */
  changed<Resource>(tagged: Tagged<Resource>): Resource {
    return send(this.#set, changed(tagged))
  }

  /** Responds to a deletion: 204. */
  deleted(): void {
    this.#set.status = 204
  }

  send<Body>(outcome: Outcome<Body>): Body {
    return send(this.#set, outcome)
  }
}

type ResponseSettings = Parameters<typeof send>[0]

/**
 * The plugin that gives every route of the API `session`, the session of the request, and `reply`, which makes
 * responses. A route with `idempotent: true` also gets `once`, which does its work once for each Idempotency-Key and
 * responds with the outcome.
 */
export function requestPlugin({ sessionOf, runOnce, requestIdOf }: Deps) {
  return new Elysia({ name: 'request' })
    .resolve({ as: 'scoped' }, ({ request, set }) => ({
      session: sessionOf(request),
      reply: new Reply(request, set, requestIdOf),
    }))
    .macro({
      idempotent: {
        resolve: ({ request, set, body }) => ({
          once: async <Body>(work: (session: Session) => Promise<Outcome<Body>>): Promise<Body> =>
            send(set, await runOnce(request, sessionOf(request), body, work)),
        }),
      },
    })
}

export type RequestPlugin = ReturnType<typeof requestPlugin>
