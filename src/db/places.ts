/** Places that are limited in number, such as those of open streams. */

/** What a holder wants: one of the `limit` places that `name` has. */
export interface WantedPlace {
  readonly name: string
  /** Places of this name that may be taken at the same time. */
  readonly limit: number
}

/** Gives places back; resolves when others can take them, and never rejects. Calling it again does nothing. */
export type GivePlacesBack = () => Promise<void>

export interface LimitedPlaces {
  /** Somebody who waits tries again after this time, in milliseconds; null: no other process gives places back. */
  readonly retryMs: number | null
  /** One place of each name, or null if a name has none left. @throws RedisUnavailable */
  take(wanted: readonly WantedPlace[]): Promise<GivePlacesBack | null>
  /**
   * Takes places, as `take` does, for the first in a line for whom there are some. Null: there are for none of them.
   * Then this process waits for the first name of each that has no place left. Of several processes that wait for a name,
   * and soon try again, each in its turn takes a place.
   * @throws RedisUnavailable likewise
   */
  takeFirst(line: readonly (readonly WantedPlace[])[]): Promise<TakenPlaces | null>
}

/** The places that somebody in a line has got. */
export interface TakenPlaces {
  readonly index: number
  readonly giveBack: GivePlacesBack
}

export function createLocalPlaces(): LimitedPlaces {
  const taken = new Map<string, number>()
  const countOf = (name: string) => taken.get(name) ?? 0
  async function takeFirst(line: readonly (readonly WantedPlace[])[]): Promise<TakenPlaces | null> {
    const index = line.findIndex((wanted) => wanted.every(({ name, limit }) => countOf(name) < limit))
    const wanted = line[index]
    if (!wanted) return null
    for (const { name } of wanted) taken.set(name, countOf(name) + 1)
    let isBack = false
    const giveBack = async () => {
      if (isBack) return
      isBack = true
      for (const { name } of wanted) {
        if (countOf(name) > 1) taken.set(name, countOf(name) - 1)
        else taken.delete(name)
      }
    }
    return { index, giveBack }
  }
  return { retryMs: null, take: async (wanted) => (await takeFirst([wanted]))?.giveBack ?? null, takeFirst }
}

/** Somebody in this process who waits for places. */
export interface PlaceWaiter {
  readonly wanted: readonly WantedPlace[]
  /** Gets the places, and has to give them back if it no longer waits. */
  readonly admit: (giveBack: GivePlacesBack) => void
  /** Learns that places cannot be counted now. It may go on waiting. */
  readonly fail: () => void
}

/**
 * Returns a function that admits those who wait and for whom there are places. Call it when somebody begins to wait, and
 * when places were given back; it resolves once they were tried for all who waited by then.
 * Places that another process gives back, or held when it died, are noticed after `retryMs` at the latest.
 * @param listWaiting lists them, the next one first
 */
export function createCallNext(places: LimitedPlaces, listWaiting: () => readonly PlaceWaiter[]): () => Promise<void> {
  let last = Promise.resolve()
  let next: Promise<void> | null = null
  let retry: Timer | null = null

  async function callAll(): Promise<void> {
    for (;;) {
      // A copy, since somebody may leave the line meanwhile.
      const line = [...listWaiting()]
      if (line.length === 0) return
      try {
        const taken = await places.takeFirst(line.map(({ wanted }) => wanted))
        if (!taken) return tryAgainLater(places.retryMs)
        line[taken.index]?.admit(taken.giveBack)
      } catch {
        for (const waiter of line) waiter.fail()
        return tryAgainLater(places.retryMs)
      }
    }
  }

  function tryAgainLater(ms: number | null): void {
    if (ms === null || retry) return
    retry = setTimeout(() => {
      retry = null
      void callNext()
    }, ms).unref()
  }

  function callNext(): Promise<void> {
    next ??= last.then(() => {
      next = null
      return callAll()
    })
    last = next
    return next
  }
  return callNext
}
