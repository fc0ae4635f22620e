import type { DeckSettings } from '../scheduling/settings'

/** The options of decks in Anki, as a collection of schema 11 has them. */

/** What only a package has that replaces a whole collection. */
export interface WholeCollection {
  /** The settings that decks inherit by default. */
  readonly defaults: DeckSettings
  readonly learn_ahead_minutes: number
}

/** The id of the options that every collection has. */
const DEFAULT_ID = 1
const FIRST_ID = 1_577_851_200_000
// The numbers of Anki's deck_config.proto.

/** When new cards come, beside reviews. */
export const NEW_MIX = { mix: 0, after: 1, before: 2 }
/** What is due; by retrievability, what is forgotten most comes first. */
const REVIEW_ORDER = { due: 0, retrievability: 7, random: 8 }
const LEECH_ACTION = { suspend: 0, none: 1 }
const LOWEST_POSITION = 1
const RANDOM_CARDS = 4
const NO_SORT = 1

/** Collects the different settings of decks. A package that is added to a collection only has Anki's default options. */
export class DeckOptions {
  private readonly all = new Map<string, { readonly id: number; readonly settings: DeckSettings | null }>()

  constructor(private readonly whole: WholeCollection | null) {
    const settings = whole?.defaults ?? null
    this.all.set(JSON.stringify(settings), { id: DEFAULT_ID, settings })
  }

  /** Returns the id of the options with these settings, the same for equal ones. */
  idOf(settings: DeckSettings): number {
    if (!this.whole) return DEFAULT_ID
    const key = JSON.stringify(settings)
    const known = this.all.get(key)
    if (known) return known.id
    const id = FIRST_ID + this.all.size
    this.all.set(key, { id, settings })
    return id
  }

  /** Returns `col.dconf`. */
  json(): string {
    return JSON.stringify(Object.fromEntries([...this.all.values()].map((one) => [one.id, toOptions(one)])))
  }
}

function toOptions({ id, settings }: { readonly id: number; readonly settings: DeckSettings | null }): object {
  return {
    ...{ id, name: id === DEFAULT_ID ? 'Default' : `Options ${id - FIRST_ID + 1}`, mod: 0, usn: settings ? -1 : 0 },
    ...{ maxTaken: 60, autoplay: true, timer: 0, replayq: true, dyn: false },
    new: {
      ...{ ints: [1, 4, 0], initialFactor: 2500 },
      delays: settings?.learning_steps_minutes ?? [1, 10],
      order: settings?.new_order === 'random' ? 0 : 1,
      perDay: settings?.new_limit_per_day ?? 20,
      bury: settings?.bury_siblings ?? true,
    },
    rev: {
      ...{ ease4: 1.3, ivlFct: 1, hardFactor: 1.2 },
      perDay: settings?.review_limit_per_day ?? 200,
      maxIvl: settings?.maximum_interval_days ?? 36_500,
      bury: settings?.bury_siblings ?? true,
    },
    lapse: {
      ...{ mult: 0, minInt: 1 },
      delays: settings?.relearning_steps_minutes ?? [10],
      leechFails: settings?.leech_threshold ?? 8,
      leechAction: LEECH_ACTION[settings?.leech_action ?? 'none'],
    },
    ...(settings ? toNewerOptions(settings) : {}),
  }
}

/** Members that versions since 2021 read. */
function toNewerOptions({ new_mix, new_order, review_order, desired_retention, weights, ...settings }: DeckSettings) {
  return {
    newMix: NEW_MIX[new_mix],
    reviewOrder: REVIEW_ORDER[review_order],
    newGatherPriority: new_order === 'random' ? RANDOM_CARDS : LOWEST_POSITION,
    newSortOrder: NO_SORT,
    buryInterdayLearning: settings.bury_siblings,
    desiredRetention: desired_retention,
    fsrsParams6: weights ?? [],
  }
}
