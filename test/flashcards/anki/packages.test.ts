import { afterAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeTransferWorld } from '../transfer-support'
import { comparePackage } from './compare-package'
import type { PlainNote } from './plain-reading'

/**
 * Packages that other programs made, held against a plain reading of their tables. `ANKI_PACKAGES=DIR` names a folder
 * of more, whose licence does not allow to ship them.
 */

const folders = [join(import.meta.dir, '../../fixtures/anki'), ...(process.env.ANKI_PACKAGES?.split(':') ?? [])]
const packages = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => /\.(apkg|colpkg)$/.test(name))
    .map((name) => [name, join(folder, name)] as const),
)

const world = await makeTransferWorld()
afterAll(() => world.close())

const withoutSuspended = (notes: readonly PlainNote[]) =>
  notes.map(({ cards, ...note }) => ({ ...note, cards: cards.map((card) => ({ ...card, suspended: null })) }))

test.each(packages)('%s comes in as its tables say', async (_, path) => {
  const { plain, shown, codes, isDryRunTrue, changedAgain } = await comparePackage(world, await Bun.file(path).bytes())
  expect(shown.noteTypes).toEqual([...plain.noteTypes])
  expect(shown.media).toEqual(plain.media)
  expect(shown.decks).toEqual(plain.decks)
  // A card that its note does not ask for comes in suspended, with a line.
  const isTold = (codes.card_suspended ?? 0) > 0
  expect(isTold ? withoutSuspended(shown.notes) : shown.notes).toEqual(
    isTold ? withoutSuspended(plain.notes) : [...plain.notes],
  )
  expect({ codes, isDryRunTrue, changedAgain }).toEqual({
    codes: isTold ? codes : {},
    isDryRunTrue: true,
    changedAgain: 0,
  })
})
