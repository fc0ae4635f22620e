import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import fc from 'fast-check'
import { CLAMP_PARAMETERS, default_w } from 'ts-fsrs'
import { PatchOverrides } from '../../../src/flashcards/decks/deck-schema'
import {
  DEFAULT_SETTINGS,
  DEFAULT_WEIGHTS,
  findWeightFault,
  inheritSettings,
  type SettingName,
  WEIGHT_RANGES,
} from '../../../src/flashcards/scheduling/settings'
import { runs } from '../../support/full'
import { anySettings } from './properties'

const isAllowed = (settings: Readonly<Record<string, unknown>>) => Value.Check(PatchOverrides, settings)

describe('what a setting may be', () => {
  test('the defaults are allowed, and null is for each', () => {
    expect(isAllowed({ ...DEFAULT_SETTINGS })).toBe(true)
    for (const name of Object.keys(DEFAULT_SETTINGS)) expect(isAllowed({ [name]: null })).toBe(true)
  })

  const bounds: [name: SettingName, allowed: unknown[], refused: unknown[]][] = [
    ['new_limit_per_day', [0, 9999], [-1, 10_000, 1.5, '5', Number.NaN]],
    ['review_limit_per_day', [0, 9999], [-1, 10_000, 1.5, '5', Number.NaN]],
    ['new_ignores_review_limit', [true, false], [0, 'true']],
    ['fuzz', [true, false], [1, 'no']],
    ['bury_siblings', [true, false], [1, []]],
    ['desired_retention', [0.7, 0.99, 0.9], [0, 1, 0.6999, 0.991, Number.NaN, '0.9']],
    ['maximum_interval_days', [1, 36_500], [0, 36_501, 1.5, Number.POSITIVE_INFINITY]],
    ['learning_steps_minutes', [[], [1, 1439], Array(10).fill(1)], [[0], [1440], [1.5], Array(11).fill(1), 10, ['1']]],
    ['relearning_steps_minutes', [[], [1439]], [[1440], [-1], {}, [null]]],
    ['new_order', ['position', 'random'], ['due', 1]],
    ['review_order', ['due', 'retrievability', 'random'], ['position', []]],
    ['new_mix', ['mix', 'after', 'before'], ['none', true]],
    ['leech_threshold', [1, 99], [0, 100, 7.5]],
    ['leech_action', ['suspend', 'none'], ['tag', false]],
    ['weights', [[...DEFAULT_WEIGHTS]], [[], DEFAULT_WEIGHTS.slice(1), [...DEFAULT_WEIGHTS, 1], 'default', {}]],
  ]

  test.each(bounds)('%s', (name, allowed, refused) => {
    for (const value of allowed) expect(isAllowed({ [name]: value })).toBe(true)
    for (const value of refused) expect(isAllowed({ [name]: value })).toBe(false)
  })

  test('every setting is held to its bounds above', () => {
    expect(bounds.map(([name]) => name).toSorted()).toEqual(Object.keys(DEFAULT_SETTINGS).toSorted() as SettingName[])
  })

  test('each weight is a finite number in its own range', () => {
    for (const [i, [min, max]] of WEIGHT_RANGES.entries()) {
      for (const edge of [min, max]) expect(findWeightFault(DEFAULT_WEIGHTS.with(i, edge))).toBeNull()
      for (const beyond of [min - 1e-6, max + 1e-6, Number.NaN, Number.POSITIVE_INFINITY])
        expect(findWeightFault(DEFAULT_WEIGHTS.with(i, beyond))).toBe(
          `must have a number from ${min} to ${max} at index ${i}`,
        )
    }
  })

  test('the ranges and the default weights are those of the library', () => {
    expect(WEIGHT_RANGES).toEqual(CLAMP_PARAMETERS(2) as [number, number][])
    expect(DEFAULT_WEIGHTS).toEqual([...default_w])
  })

  test('what is no setting is refused, also where objects have a member of that name', () => {
    for (const name of ['retention', 'toString', 'constructor']) expect(isAllowed({ [name]: 1 })).toBe(false)
  })

  test('all faults are told at once', () => {
    const faults = [...Value.Errors(PatchOverrides, { fuzz: 1, new_mix: 'x', leech_threshold: 8 })]
    expect(faults.map(({ path }) => path)).toEqual(['/fuzz', '/new_mix'])
  })
})

describe('what a deck goes by', () => {
  test('is what the nearest deck says that says anything, whatever they say', () => {
    const partly = anySettings.chain((settings) =>
      fc
        .subarray(Object.keys(settings) as SettingName[])
        .map((names) => Object.fromEntries(names.map((name) => [name, settings[name]]))),
    )
    fc.assert(
      fc.property(fc.array(partly, { maxLength: 10 }), anySettings, (chain, defaults) => {
        const decks = chain.map((overrides, i) => ({ id: String(i), overrides }))
        const said = chain.toReversed().flatMap((own) => Object.entries(own).filter(([, value]) => value !== null))
        const merged = Object.fromEntries([...Object.entries(defaults), ...said])
        expect(inheritSettings(decks, defaults).effective).toEqual(merged as typeof defaults)
      }),
      { numRuns: runs(50) },
    )
  })
})
