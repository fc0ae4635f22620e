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
  /**
   * Takes one place of each name, or none of them if a name has no place left: then it returns null.
   * @throws RedisUnavailable if the places are in Redis, and it is away
   */
  take(wanted: readonly WantedPlace[]): Promise<GivePlacesBack | null>
}

/** Creates the places of this process alone. */
export function createLocalPlaces(): LimitedPlaces {
  const taken = new Map<string, number>()
  const countOf = (name: string) => taken.get(name) ?? 0
  return {
    async take(wanted) {
      if (wanted.some(({ name, limit }) => countOf(name) >= limit)) return null
      for (const { name } of wanted) taken.set(name, countOf(name) + 1)
      let isBack = false
      return async () => {
        if (isBack) return
        isBack = true
        for (const { name } of wanted) {
          if (countOf(name) > 1) taken.set(name, countOf(name) - 1)
          else taken.delete(name)
        }
      }
    },
  }
}
