/**
 * The settings of a deck: their defaults, and how a deck inherits them; deck-schema.ts has their valid values. A deck
 * stores overrides. Null means inherit: from its parent, and so on up, and finally from the workspace's `deck_defaults`.
 */

export interface DeckSettings {
  readonly new_limit_per_day: number
  readonly review_limit_per_day: number
  readonly new_ignores_review_limit: boolean
  readonly fuzz: boolean
  readonly bury_siblings: boolean
  /** The chance of recall at which a card is due. */
  readonly desired_retention: number
  readonly maximum_interval_days: number
  readonly learning_steps_minutes: number[]
  readonly relearning_steps_minutes: number[]
  readonly new_order: 'position' | 'random'
  readonly review_order: 'due' | 'retrievability' | 'random'
  readonly new_mix: 'mix' | 'after' | 'before'
  /** Lapses at which a card is marked as a leech. */
  readonly leech_threshold: number
  readonly leech_action: 'suspend' | 'none'
  /** The 21 weights of FSRS-6; null for the default weights. */
  readonly weights: number[] | null
}

export type SettingName = keyof DeckSettings

/** The settings that a deck sets itself; null or absent ones are inherited. */
export type Overrides = { readonly [Name in SettingName]?: DeckSettings[Name] | null }

export const DEFAULT_SETTINGS: DeckSettings = {
  new_limit_per_day: 20,
  review_limit_per_day: 200,
  new_ignores_review_limit: false,
  fuzz: true,
  bury_siblings: true,
  desired_retention: 0.9,
  maximum_interval_days: 36_500,
  learning_steps_minutes: [1, 10],
  relearning_steps_minutes: [10],
  new_order: 'position',
  review_order: 'due',
  new_mix: 'mix',
  leech_threshold: 8,
  leech_action: 'suspend',
  weights: null,
}

export const DEFAULT_WEIGHTS: number[] = [
  0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629, 1.6483,
  0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
]

/** As ts-fsrs 5.4.2 clips them (CLAMP_PARAMETERS, with a ceiling of 2 for w17 and w18); fsrs-rs trains in the same. */
export const WEIGHT_RANGES: readonly (readonly [min: number, max: number])[] = [
  [0.001, 100],
  [0.001, 100],
  [0.001, 100],
  [0.001, 100],
  [1, 10],
  [0.001, 4],
  [0.001, 4],
  [0.001, 0.75],
  [0, 4.5],
  [0, 0.8],
  [0.001, 3.5],
  [0.001, 5],
  [0.001, 0.25],
  [0.001, 0.9],
  [0, 4],
  [0, 1],
  [1, 6],
  [0, 2],
  [0, 2],
  [0.01, 0.8],
  [0.1, 0.8],
]

/** The longest step: ts-fsrs treats one of a day or more as an interval, and counts false lapses. */
export const MAX_STEP_MINUTES = 1439

/** Returns why weights are refused, in words that follow their name; null if each is in its range. */
export function findWeightFault(weights: readonly number[]): string | null {
  const at = WEIGHT_RANGES.findIndex(([min, max], i) => !(Number(weights[i]) >= min && Number(weights[i]) <= max))
  const [min, max] = WEIGHT_RANGES[at] ?? []
  return at < 0 ? null : `must have a number from ${min} to ${max} at index ${at}`
}

/** The effective settings of a deck, and where each comes from: the id of a deck, or `deck_defaults`. */
export interface InheritedSettings {
  readonly overrides: Overrides
  readonly effective: DeckSettings
  readonly from: Readonly<Record<SettingName, string>>
}

/**
 * Returns the effective settings of a deck.
 * @param chain the deck first, then its parent, and so on to the top
 * @param defaults the workspace's `deck_defaults`
 */
export function inheritSettings(
  chain: readonly { readonly id: string; readonly overrides: Overrides }[],
  defaults: DeckSettings,
): InheritedSettings {
  const names = Object.keys(DEFAULT_SETTINGS) as SettingName[]
  const holders = names.map((name) => chain.find(({ overrides }) => (overrides[name] ?? null) !== null))
  const effective = names.map((name, i) => [name, (holders[i]?.overrides ?? defaults)[name]])
  const from = names.map((name, i) => [name, holders[i]?.id ?? 'deck_defaults'])
  return {
    overrides: chain[0]?.overrides ?? {},
    effective: Object.fromEntries(effective) as DeckSettings,
    from: Object.fromEntries(from) as Record<SettingName, string>,
  }
}

export type SchedulingSettings = Pick<
  DeckSettings,
  | 'desired_retention'
  | 'maximum_interval_days'
  | 'learning_steps_minutes'
  | 'relearning_steps_minutes'
  | 'fuzz'
  | 'leech_threshold'
  | 'leech_action'
  | 'weights'
>
