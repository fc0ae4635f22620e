/** Results that are scored: a first page. */
export const PAGE_RESULTS = 10

/** Scores a list of results, from 0 to 1. `right` is not empty. */
type Measure = (found: readonly number[], right: ReadonlySet<number>) => number

const findPlace = (found: readonly number[], right: ReadonlySet<number>) => found.findIndex((one) => right.has(one))

/** Returns the weight of a rank: 1 for the first, less for each further one. */
const discount = (place: number) => 1 / Math.log2(place + 2)

export const MEASURES = {
  'nDCG@10': (found, right) => {
    const gained = found.reduce((sum, one, place) => sum + (right.has(one) ? discount(place) : 0), 0)
    const most = Array.from({ length: Math.min(PAGE_RESULTS, right.size) }, (_, place) => discount(place))
    return gained / most.reduce((sum, one) => sum + one, 0)
  },
  'MRR@10': (found, right) => {
    const place = findPlace(found, right)
    return place === -1 ? 0 : 1 / (place + 1)
  },
  'right one first': (found, right) => (findPlace(found, right) === 0 ? 1 : 0),
} as const satisfies Record<string, Measure>

export type MeasureName = keyof typeof MEASURES
