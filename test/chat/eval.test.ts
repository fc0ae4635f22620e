import { describe, expect, test } from 'bun:test'
import { readSides, type Squad } from '../../eval/chat/passages'
import { fold, readSet } from '../../eval/chat/set'
import { readParaphrases, readSeveral } from '../../eval/chat/talks'

/** `bun run eval chat --quick` needs nothing but what is part of the project. */

const PARTS = ['dev', 'held-out'] as const

describe('the small sets that the embedded engine is measured on', () => {
  test('have at least 150 questions in other words, half of them held out', async () => {
    const data = await readParaphrases()
    for (const part of PARTS) {
      const asked = data[part].flatMap(({ body, asked }) => asked.map((one) => ({ ...one, body })))
      expect(asked.length).toBeGreaterThanOrEqual(75)
      for (const { answer, body } of asked) expect(body).toContain(answer)
    }
    const titles = PARTS.flatMap((part) => data[part].map(({ title }) => title))
    expect(new Set(titles).size).toBe(titles.length)
  })

  test('have messages that ask for more than one thing', async () => {
    const messages = await readSeveral()
    expect(messages.filter(({ made }) => made.length > 1).length).toBeGreaterThanOrEqual(12)
    for (const { text, made } of messages) for (const title of made) expect(text).toContain(title)
  })

  test.each([
    ['house', 255],
    ['aside', 129],
  ])('have questions whose answers stand in what they name, in workspaces that have it: %s', async (name, count) => {
    const { notes, tasks, cards, questions } = await readSet(name)
    const resources = new Map([...notes, ...tasks, ...cards].map((one) => [one.key, one]))
    expect([resources.size, questions.length]).toEqual([150, count])
    expect(new Set(questions.map(({ ask, before }) => JSON.stringify([before, ask]))).size).toBe(questions.length)
    for (const { kind, size, of, right, ask } of questions) {
      const named = of.map((key) => resources.get(key))
      for (const one of named) expect(one?.size ?? Infinity).toBeLessThanOrEqual(size)
      if (!/^(note|follow)/.test(kind) || of.some((key) => key.startsWith('t'))) continue
      const text = fold(JSON.stringify(named))
      for (const texts of right) expect([ask, texts.some((one) => text.includes(fold(one)))]).toEqual([ask, true])
    }
  })
})

test('articles are in one part, on one side, and asked the questions of the other side', () => {
  const article = (n: number) => ({
    title: `Article ${n}`,
    paragraphs: [{ context: `Text ${n}.`, qas: [{ question: `Question ${n}?`, answers: [{ text: `Text ${n}` }] }] }],
  })
  const squad: Squad = { data: Array.from({ length: 40 }, (_, n) => article(n)) }
  const sides = PARTS.flatMap((part) => readSides(squad, part))
  const notes = sides.flatMap((side) => side.notes.map(({ body }) => body))
  expect(notes.toSorted()).toEqual(squad.data.map(({ paragraphs }) => paragraphs[0]?.context ?? '').toSorted())
  expect(sides.every((side) => side.notes.length > 0)).toBe(true)
  for (const [a, b] of [sides.slice(0, 2), sides.slice(2)]) {
    expect(a?.foreign).toEqual(b?.own.map(({ question }) => question) ?? [])
    expect(b?.foreign).toEqual(a?.own.map(({ question }) => question) ?? [])
  }
})
