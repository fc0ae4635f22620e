import { Elysia } from 'elysia'
import type { Session } from '../db/database'
import type { Tagged } from './conditional'
import type { Outcome, RunOnce } from './idempotency'
import { changed, send, sendResource } from './responses'

interface Deps {
  /** The workspace that a request works in. @throws ApiError unavailable while it is being erased */
  readonly sessionOf: (request: Request) => Session
  readonly runOnce: RunOnce
  /** The id that ties an answer to the log. */
  readonly requestIdOf: (request: Request) => string
}

/** How the result of a service becomes the answer of a route. */
class Reply {
  readonly #request: Request
  readonly #set: ResponseSettings
  readonly #requestIdOf: (request: Request) => string

  constructor(request: Request, set: ResponseSettings, requestIdOf: (request: Request) => string) {
    this.#request = request
    this.#set = set
    this.#requestIdOf = requestIdOf
  }

  /** The id that ties the answer to the log, for answers that hold errors. */
  get requestId(): string {
    return this.#requestIdOf(this.#request)
  }

  /** A resource that was read: 200 with its ETag, or 304 where the caller has it already. */
  read<Resource>(tagged: Tagged<Resource>): Resource {
    return sendResource(this.#request, this.#set, tagged)
  }

  /** A resource that was changed: 200 with its ETag. */
  changed<Resource>(tagged: Tagged<Resource>): Resource {
    return send(this.#set, changed(tagged))
  }

  /** A resource that is gone: 204. */
  deleted(): void {
    this.#set.status = 204
  }

  /** Any other outcome. */
  send<Body>(outcome: Outcome<Body>): Body {
    return send(this.#set, outcome)
  }
}

type ResponseSettings = Parameters<typeof send>[0]

/**
 * What every route of the API gets: `session`, the workspace of the request; `reply`, which makes answers of results;
 * and with `idempotent: true` `once`, which runs its work once for each Idempotency-Key.
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
