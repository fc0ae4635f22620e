import { describe, expect, test } from 'bun:test'
import { findEarlierFile, type Overlap } from '../../src/imports/lines'

const NOTHING = { same: 0, changed: 0 }

/** Finds a file that shares this with the files of its name; also returns how many it was compared with. */
async function find(overlaps: readonly Overlap[], items = 6) {
  let compared = 0
  const compare = async (number: number) => {
    compared++
    return overlaps[number] ?? NOTHING
  }
  return { ...(await findEarlierFile(compare, items, 'digest')), compared }
}

describe('a file is', () => {
  test.each<[string, readonly Overlap[], { name: string; isOther: boolean }]>([
    ['the first of its name', [], { name: '0', isOther: false }],
    ['a later version of the only one', [{ same: 1, changed: 1 }], { name: '0', isOther: false }],
    ['a later version of one with five of its six items', [{ same: 0, changed: 5 }], { name: '0', isOther: false }],
    ['another one than one with four of its six items', [{ same: 0, changed: 4 }], { name: '1', isOther: true }],
    ['another one', [{ same: 1, changed: 2 }], { name: '1', isOther: true }],
    [
      'a later version of the second',
      [
        { same: 1, changed: 2 },
        { same: 1, changed: 0 },
      ],
      { name: '1', isOther: false },
    ],
    [
      'that of which most came',
      [
        { same: 2, changed: 2 },
        { same: 2, changed: 1 },
      ],
      { name: '0', isOther: false },
    ],
    ['none that comes after a free number', [NOTHING, { same: 9, changed: 0 }], { name: '0', isOther: false }],
  ])('%s', async (_, overlaps, expected) => {
    expect(await find(overlaps)).toMatchObject(expected)
  })
})

test('fifty files of one name may have later versions; a file beyond is known by its content', async () => {
  const others = Array.from({ length: 49 }, () => ({ same: 0, changed: 1 }))
  expect(await find(others)).toEqual({ name: '49', isOther: true, compared: 50 })
  expect(await find([...others, { same: 1, changed: 0 }])).toEqual({ name: '49', isOther: false, compared: 50 })
  expect(await find([...others, { same: 0, changed: 1 }])).toEqual({ name: 'digest', isOther: true, compared: 50 })
})
