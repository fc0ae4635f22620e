import { raw } from './raw'
import { freshAddress } from './wire'
import { makeWorld, stranger } from './world'

/** Requests an hour without a key in a world that listens: few enough to use up. */
export const FREE_LIMIT = 30

export interface Ask {
  readonly method?: string
  readonly path: string
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A world on a real socket. It trusts its peer, so each caller says in X-Forwarded-For who it is. A newcomer has a key. */
export async function listeningWorld(settings: Readonly<Record<string, string>> = {}) {
  const world = await makeWorld({
    settings: { TRUSTED_PROXIES: '127.0.0.1', FREE_LIMIT_PER_HOUR: String(FREE_LIMIT), ...settings },
  })
  const base = world.listen().slice(0, -1)
  return { ...world, base, newcomer: () => new Visitor(base, stranger().key) }
}

/** A caller over a real socket, with an address of its own unless it is given one. */
export class Visitor {
  /** What the latest answer says is left; NaN while none has. */
  #left = Number.NaN

  constructor(
    readonly base: string,
    readonly key?: string,
    readonly address = freshAddress(),
  ) {}

  get tier(): 'free' | 'api' {
    return this.key === undefined ? 'free' : 'api'
  }

  async send({ method = 'GET', path, body, headers = {} }: Ask): Promise<Response> {
    const own = this.key === undefined ? {} : { 'X-API-Key': this.key }
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const response = await fetch(this.base + path, {
      method,
      redirect: 'manual',
      headers: { 'X-Forwarded-For': this.address, ...own, ...type, ...headers },
      ...(body === undefined ? {} : { body: raw(body) }),
    })
    this.#left = remainingOf(response)
    return response
  }

  /** Sends a request between two others, and says how often it was counted; the first is what was sent before, if that was counted. */
  async weigh(ask: Ask): Promise<{ response: Response; cost: number; remaining: number }> {
    if (Number.isNaN(this.#left)) await this.send({ path: '/api' })
    const before = this.#left
    const response = await this.send(ask)
    const after = remainingOf(await this.send({ path: '/api' }))
    const cost = before - after - 1
    return { response, cost, remaining: before - cost }
  }

  /** Uses up everything that this visitor may send in this hour. */
  async exhaust(): Promise<this> {
    while (remainingOf(await this.send({ path: '/api' })) > 0);
    return this
  }

  /** Makes a note and returns its path; where no note can be made, that of a note nobody has. */
  async note(): Promise<string> {
    const { headers } = await this.send({ method: 'POST', path: '/api/notes', body: { title: 'T' } })
    return headers.get('Location') ?? '/api/notes/01890000-0000-7000-8000-00000000ffff'
  }
}

/** What X-RateLimit-Remaining says; NaN unless it is a plain integer. */
export function remainingOf({ headers }: Response): number {
  const text = headers.get('X-RateLimit-Remaining') ?? ''
  return /^(0|[1-9][0-9]*)$/.test(text) ? Number(text) : Number.NaN
}
