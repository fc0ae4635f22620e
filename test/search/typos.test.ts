import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { boundedEditDistance } from '../../src/lib/spelling'
import { runs } from '../support/full'
import { makeIndexed } from './indexed'

/** Optimal string alignment as it is defined. */
function alignment(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i + j))
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Infinity
      const row = rows[i]
      if (row)
        row[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]), swap)
    }
  return at(a.length, b.length)
}

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ж'), maxLength: 9 })

test('the distance of two words is that of optimal string alignment, as far as it is asked for', () => {
  fc.assert(
    fc.property(letters, letters, fc.nat(3), (a, b, most) => {
      expect(boundedEditDistance(a, b, most)).toBe(Math.min(alignment(a, b), most + 1))
    }),
    { numRuns: runs(3000) },
  )
})

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 3, maxLength: 11 })

test('what occurs nowhere is corrected to the nearest and commonest that does, and nothing else is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(word, { minLength: 1, maxLength: 20 }),
      fc.array(word, { minLength: 1, maxLength: 20 }),
      fc.boolean(),
      async (words, sought, stored) => {
        const indexed = await makeIndexed()
        for (const [key, one] of words.entries()) await indexed.write(key, { title: one })
        if (stored) await indexed.run()
        // Nothing says that a word occurred once.
        await indexed.write(1000, { title: sought.join(' ') })
        if (stored) await indexed.run()
        await indexed.erase(1000)
        const often = (one: string) => words.filter((own) => own === one).length
        for (const one of sought) {
          const edits = one.length >= 9 ? 2 : one.length >= 5 ? 1 : 0
          const near = [...new Set(words)]
            .filter((own) => alignment(own, one) <= edits)
            .sort((a, b) => alignment(a, one) - alignment(b, one) || often(b) - often(a) || (a < b ? -1 : 1))
          const { corrected, ignored } = await indexed.find(one)
          const known = words.includes(one)
          expect([one, corrected]).toEqual([one, known || !near[0] ? [] : [{ from: one, to: near[0] }]])
          expect(ignored).toEqual(known || near[0] ? [] : [one])
        }
        await indexed.db.close()
      },
    ),
    { numRuns: runs(30) },
  )
})

test('a word that a document begins with, or another that is spelled alike, is no typo', async () => {
  const indexed = await makeIndexed()
  await indexed.write(1, { title: 'Functions', body: 'of e-mails and getUserName' })
  for (const own of ['function', 'functions', 'FUNCTION', 'email', 'username', 'user', 'e-mail'])
    expect([own, (await indexed.find(own)).corrected]).toEqual([own, []])
  expect((await indexed.find('fucntions')).corrected).toEqual([{ from: 'fucntions', to: 'functions' }])
  expect((await indexed.find('fucntions', { strict: true })).ignored).toEqual(['fucntions'])
})
