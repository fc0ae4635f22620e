import { expect, test } from 'bun:test'
import { PackageFault } from '../../../src/flashcards/anki/fault'
import { WITH_KEY } from '../../../src/flashcards/anki/limits'
import { openAnkiPackage } from '../../../src/flashcards/anki/reading'
import type { ParsedItem } from '../../../src/flashcards/transfer/parsed'
import { packageOf, type Source } from './build'
import { BASIC, DECK, itemsOf } from './support'

const numbers = Array.from({ length: 120 }, (_, i) => i + 1)
const source: Source = {
  decks: [DECK],
  notetypes: [BASIC],
  notes: numbers.map((id) => ({ id, mid: 10, fields: [`front ${id}`, 'back'] })),
  cards: numbers.map((id) => ({ id, nid: id, did: 100 })),
  media: { 'a.png': 'picture' },
}

async function read(bytes: Uint8Array, deadline?: number): Promise<ParsedItem[]> {
  const reading = openAnkiPackage(bytes, WITH_KEY, () => performance.now(), deadline)
  try {
    const items: ParsedItem[] = []
    for (let batch = await reading.next(); batch.length > 0; batch = await reading.next()) items.push(...batch)
    return items
  } finally {
    reading.close()
  }
}

async function faultOf(reading: Promise<unknown>): Promise<string> {
  const fault = await reading.then(
    () => null,
    (error) => error,
  )
  return fault instanceof PackageFault ? fault.code : String(fault)
}

test('a package is read in a Worker, batch by batch, as it is read here', async () => {
  const told = itemsOf(packageOf('latest', source))
  const items = await read(packageOf('latest', source))
  expect(items.length).toBe(122)
  expect(JSON.parse(JSON.stringify(items.filter(({ kind }) => kind !== 'media')))).toEqual(
    JSON.parse(JSON.stringify(told.filter(({ kind }) => kind !== 'media'))),
  )
  const media = items.find((item) => item.kind === 'media')
  expect(Buffer.from(media?.kind === 'media' && media.bytes ? media.bytes : []).toString()).toBe('picture')
})

test('what is wrong with a package comes out of the Worker as a fault with its code', async () => {
  expect(await faultOf(read(Buffer.from('no archive')))).toBe('invalid_package')
})

test('a package that takes too long is given up', async () => {
  expect(await faultOf(read(packageOf('latest', source), 1))).toBe('too_large')
})
