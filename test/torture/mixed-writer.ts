import { raw } from '../support/raw'
import { untilGone } from '../support/writers'
import { type Change, nextChange, type Sent } from './changes'
import { chance } from './row'

/** A caller that changes all kinds of things without rest and remembers what it was told. */

interface Known {
  /** The change that made the thing what it is, as the server last acknowledged it; null before that. */
  acknowledged: Change | null
  /** What was sent last, if its answer never came: the server may have done it or not. */
  open: Change | null
}

const AT_ONCE = 32

export class MixedWriter {
  answered = 0
  /** Acknowledged changes. */
  done = 0
  /** What should not have been answered, in words. */
  readonly faults: string[] = []
  readonly #things = new Map<string, Known>()
  readonly #touched = new Set<string>()
  readonly #random: () => number
  #cards: readonly string[] = []
  #step = 0

  constructor(
    readonly key: string,
    /** Sets its things apart from those of others: 0 to 31. */
    readonly number: number,
    seed: number,
    /** Whether 502 to 504 are no answer, as where several processes and engines come and go. */
    private readonly bearsOutages = false,
  ) {
    this.#random = chance(seed + number)
  }

  /** Makes the cards that it will answer. It can be called again after one that got no answer. */
  async prepare(url: string): Promise<void> {
    const post = async (path: string, body: object, n = 0) => {
      const headers = { 'Idempotency-Key': `prepare-${path}-${this.number}-${n}` }
      const answer = await this.#send(url, { method: 'POST', path: `/api/flashcards/${path}`, body, headers })
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    const deck = await post('decks', { name: `deck of ${this.number}` })
    for (let n = 0; n < 8; n++)
      await post('facts', { deck_id: deck.id, type: 'basic', front: `front ${this.number} ${n}`, back: 'b' }, n)
    const response = await fetch(`${url}/api/flashcards/cards?deck_id=${deck.id}`, { headers: this.#headers() })
    this.#requireAnswer(response)
    const { items } = (await response.json()) as { items: { id: string }[] }
    this.#cards = items.map(({ id }) => id)
  }

  /** Changes things until the server is gone; tells of every answer. */
  async run(url: string, told: () => void): Promise<void> {
    await untilGone(() => this.write(url), told)
  }

  /** One change; throws when no answer comes. */
  async write(url: string): Promise<void> {
    const hand = { writer: this.number, step: this.#step++, random: this.#random, cards: this.#cards }
    const change = nextChange(hand, (thing) => Boolean(this.#things.get(thing)?.acknowledged))
    const known = this.#things.get(change.thing) ?? { acknowledged: null, open: null }
    this.#things.set(change.thing, known)
    this.#touched.add(change.thing)
    known.open = change
    const { ok, status, body } = await this.#send(url, change.sent)
    this.answered++
    known.open = null
    // Another import of the workspace may be running.
    if (!ok && body.code !== 'busy')
      this.faults.push(`${change.thing}: ${status} ${JSON.stringify(body).slice(0, 200)}`)
    if (!ok || change.confirms?.(body) === false) return
    known.acknowledged = change
    this.done++
    if (change.repeatable && this.#random() < 0.3) await this.#repeat(url, change, body)
  }

  /** The same request again gets the same answer. */
  async #repeat(url: string, change: Change, first: unknown): Promise<void> {
    const { body } = await this.#send(url, change.sent)
    this.answered++
    if (!Bun.deepEquals(body, first)) this.faults.push(`${change.thing}: its repeat is answered otherwise`)
  }

  /**
   * Each thing that is not as it must be, in words: those touched since the last time and some others, or all. What was
   * open is settled by what is found; what may be repeated is repeated first.
   */
  async losses(url: string, all = false): Promise<string[]> {
    const others = this.#random
    const chosen = [...this.#things.keys()].filter((thing) => all || this.#touched.has(thing) || others() < 0.05)
    const found: (string | null)[] = []
    for (let i = 0; i < chosen.length; i += AT_ONCE)
      found.push(...(await Promise.all(chosen.slice(i, i + AT_ONCE).map((thing) => this.#loss(url, thing)))))
    this.#touched.clear()
    return found.filter((loss) => loss !== null)
  }

  async #loss(url: string, thing: string): Promise<string | null> {
    const known = this.#things.get(thing)
    const looked = known?.open ?? known?.acknowledged
    if (!known || !looked) return null
    if (known.open?.repeatable && (await this.#send(url, known.open.sent)).ok) known.acknowledged = known.open
    const response = await fetch(url + looked.path, { headers: this.#headers() })
    this.#requireAnswer(response)
    const body = await response.json()
    const content = response.ok ? looked.see(body) : null
    const allowed = [known.acknowledged, ...(known.open === null ? [] : [known.open])]
    const settled = allowed.find((change) => (change?.becomes ?? null) === content)
    if (settled === undefined) {
      const expected = allowed.map((change) => change?.becomes ?? 'not there').join(' or ')
      return `${thing} is ${content?.slice(0, 200)} (${response.status}), not ${expected.slice(0, 200)}`
    }
    known.acknowledged = settled
    known.open = null
    return null
  }

  #headers(): Record<string, string> {
    return { 'X-API-Key': this.key, 'Content-Type': 'application/json' }
  }

  #requireAnswer({ status }: Response): void {
    if (this.bearsOutages && status >= 502 && status <= 504) throw new Error(`no answer: ${status}`)
  }

  async #send(url: string, { method, path, body, headers }: Sent) {
    const init = { method, headers: { ...this.#headers(), ...headers }, body: raw(body) }
    const response = await fetch(url + path, init)
    this.#requireAnswer(response)
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
    const answered: any = await response.json()
    return { ok: response.ok, status: response.status, body: answered }
  }
}
