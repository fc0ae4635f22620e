/** The order of checks: preflight, the key's form, is the key known, admission, and the charge. */
import { DatabaseUnavailable, payerOf, type Workspace, type WorkspaceId } from '../db/database'
import { problem } from '../http/problem'
import { badKey, preflight, tooMany, unavailable } from './answers'
import type { Holder, Place } from './clients'
import { type Answer, type Counter, MeterUnavailable, whenever } from './counter-port'
import { isLook, isPreflight } from './request-kind'
import { type Charge, charge, type GateSettings, KEY_IDLE_DAYS, type Subject } from './tiers'
import type { Visit } from './visit'

export interface CheckDeps {
  settings: GateSettings
  meter: Counter
  /** ms since 1970. */
  now: () => number
  /** Whether a key's workspace holds nothing: a key whose workspace holds something is known. */
  workspaceIsEmpty: (id: WorkspaceId) => Promise<boolean>
  /** Whose feed a path shows to whoever knows it; null at once for all other paths. */
  ownerOf?: (path: string) => Promise<Owner | null> | null
}

/** Who pays for a request in the place of its caller, since that presented something of theirs. */
export interface Owner {
  readonly workspace: Workspace
  /** Stands for what was presented: 32 hexadecimal digits that tell nothing of it. */
  readonly subject: Subject
}

export class Checks {
  readonly #deps: CheckDeps

  constructor(deps: CheckDeps) {
    this.#deps = deps
  }

  /** What refuses or answers the request, or undefined when it may pass. Counts it, once, whatever becomes of it. */
  decide(visit: Visit, place: Place, request: Request): Answer<Response | undefined> {
    try {
      const answer = this.#check(visit, place, request)
      return answer instanceof Promise ? answer.catch((error) => this.#failed(visit, error)) : answer
    } catch (error) {
      return this.#failed(visit, error)
    }
  }

  #check(visit: Visit, place: Place, request: Request): Answer<Response | undefined> {
    if (isPreflight(request)) return this.#preflight(visit)
    if (visit.keyFault !== null) return this.#malformed(visit, place, visit.keyFault)
    // Its path is all that it presents: what only looks is read, and nothing else is done in the name of the owner.
    const owned = isLook(request) ? (this.#deps.ownerOf?.(visit.path) ?? null) : null
    if (!owned) return this.#caller(visit, place, request)
    return owned.then((owner) => (owner ? this.#forOwner(visit, place, owner) : this.#caller(visit, place, request)))
  }

  /** Counted on the owner, and on what was presented; the ceilings of the caller's network hold as for the owner's tier. */
  #forOwner(visit: Visit, place: Place, { workspace, subject }: Owner): Answer<Response | undefined> {
    const { settings } = this.#deps
    const isKey = workspace.kind === 'key'
    const own = charge(isKey ? 'api' : 'free', payerOf(workspace), settings)
    visit.represent(workspace, own)
    const ceilings = isKey ? place.network : place.free.slice(1)
    return this.#charge(visit, [own, ...ceilings, charge('feed', subject, settings)])
  }

  #caller(visit: Visit, place: Place, request: Request): Answer<Response | undefined> {
    const { path, holder } = visit
    const looking = path === '/api/usage' && isLook(request)
    if (holder) return this.#keyed(visit, place, holder, looking)
    return looking ? this.#look(visit, place.free) : this.#charge(visit, place.free)
  }

  async #failed(visit: Visit, error: unknown): Promise<Response> {
    if (!(error instanceof MeterUnavailable) && !(error instanceof DatabaseUnavailable)) throw error
    await this.#recall(visit)
    return problem(unavailable(), visit.path, visit.requestId)
  }

  /** Uncounted, and never refused: a browser would report the refusal of a preflight as a network failure. */
  async #preflight(visit: Visit): Promise<Response> {
    await this.#recall(visit)
    return preflight()
  }

  /** What is left, as far as it can be told without the file. */
  async #recall(visit: Visit): Promise<void> {
    const { charge, hour } = visit
    if (!charge) return
    try {
      visit.level([charge], await this.#deps.meter.peek([charge], hour), true)
    } catch (error) {
      if (!(error instanceof MeterUnavailable)) throw error
    }
  }

  async #malformed(visit: Visit, place: Place, fault: string): Promise<Response> {
    const refused = await this.#charge(visit, place.free)
    if (refused) return refused
    return problem(badKey(fault), visit.path, visit.requestId)
  }

  #look(visit: Visit, charges: readonly Charge[]): Answer<undefined> {
    return whenever(this.#deps.meter.peek(charges, visit.hour), (left) => visit.level(charges, left, true))
  }

  #charge(visit: Visit, charges: readonly Charge[]): Answer<Response | undefined> {
    return whenever(this.#deps.meter.take(charges, visit.hour), ({ granted, left }) => {
      visit.level(charges, left, granted)
      return granted ? undefined : this.#refuse(visit, charges, left)
    })
  }

  #keyed(visit: Visit, place: Place, holder: Holder, looking: boolean): Answer<Response | undefined> {
    const own = [holder.charge, ...place.network]
    return whenever(this.#deps.meter.lastSeen(holder.id), (day) =>
      // A day to come was noted while the clock was ahead.
      day !== null && day >= dayOf(visit.hour)
        ? this.#known(visit, own, looking)
        : this.#seldom(visit, place, holder, own, looking, day),
    )
  }

  #known(visit: Visit, own: readonly Charge[], looking: boolean): Answer<Response | undefined> {
    visit.keyStatus = 'known'
    return looking ? this.#look(visit, own) : this.#charge(visit, own)
  }

  /** A key that was not used today: `day` is when it was, null when it is not in the table. */
  async #seldom(
    visit: Visit,
    place: Place,
    holder: Holder,
    own: readonly Charge[],
    looking: boolean,
    day: number | null,
  ): Promise<Response | undefined> {
    const { meter, now } = this.#deps
    if (!(await this.#isKnown(holder, day, dayOf(visit.hour)))) {
      return await this.#admit(visit, place, holder, own, looking)
    }
    const refused = await this.#known(visit, own, looking)
    if (!refused) await meter.sawKey(holder.id, now(), visit.hour)
    return refused
  }

  /** Is the key in use, or does its workspace hold something? `day` is when it was last used. */
  async #isKnown(holder: Holder, day: number | null, today: number): Promise<boolean> {
    if (day !== null && day >= today - KEY_IDLE_DAYS) return true
    return !(await this.#deps.workspaceIsEmpty(holder.workspace.id))
  }

  /** A look at the usage of an unknown key costs no request, but the key is admitted as by any other. */
  async #admit(visit: Visit, place: Place, holder: Holder, own: readonly Charge[], looking: boolean) {
    const { meter, now } = this.#deps
    const since = dayOf(visit.hour) - KEY_IDLE_DAYS
    const newcomer = { key: holder.id, at: now(), since, charges: place.admission }
    const { granted, left, isNew } = await meter.take(looking ? [] : own, visit.hour, newcomer)
    visit.keyStatus = isNew ? 'new' : 'known'
    const seen = looking ? await meter.peek(own, visit.hour) : []
    const charges = isNew ? [...own, ...place.admission] : own
    visit.level(charges, [...seen, ...left], granted)
    return granted ? undefined : await this.#refuse(visit, looking ? place.admission : charges, left)
  }

  /** 429, naming the policies that have nothing left. */
  async #refuse(visit: Visit, charges: readonly Charge[], left: readonly number[]): Promise<Response> {
    const violated = charges.filter((_, i) => left[i] === 0)
    for (const refused of violated) await this.#deps.meter.refuse(refused, visit.hour)
    return problem(tooMany(violated, visit.tier, visit.reset), visit.path, visit.requestId)
  }
}

function dayOf(hour: number): number {
  return Math.floor(hour / 24)
}
