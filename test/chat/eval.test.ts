import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Clinc, measureFalseWrites, measureIntents } from '../../eval/chat/intents'
import { readAll, readSides, type Squad } from '../../eval/chat/passages'
import { readParaphrases, readSeveral, readTalks } from '../../eval/chat/talks'

/** `bun run eval chat --quick` needs nothing but what is part of the project. */

const read = (name: string) => Bun.file(join(import.meta.dir, '../../eval/data/chat', name)).json()
const PARTS = ['dev', 'held-out'] as const

describe('the small sets that the embedded engine is measured on', () => {
  test('have answers that stand in their passages', async () => {
    const squad: Squad = await read('answers.json')
    const { notes, own } = readAll(squad, null)
    expect(own.length).toBeGreaterThanOrEqual(15)
    for (const { note, answers } of own) for (const text of answers) expect(notes[note]?.body).toContain(text)
  })

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

  test('have talks whose last answer stands in a note, and none in both parts', async () => {
    const { notes, ...parts } = await readTalks()
    const talks = PARTS.flatMap((part) => parts[part])
    expect(new Set(talks.map(({ turns }) => turns.join(' / '))).size).toBe(talks.length)
    for (const { answer, turns } of talks) {
      expect(turns.length).toBeGreaterThan(1)
      if (answer !== undefined) expect(notes.some(({ body }) => body.includes(answer))).toBe(true)
    }
  })

  test('have messages that ask for more than one thing', async () => {
    const messages = await readSeveral()
    expect(messages.filter(({ made }) => made.length > 1).length).toBeGreaterThanOrEqual(12)
    for (const { text, made } of messages) for (const title of made) expect(text).toContain(title)
  })

  test('have intents that the grammar reads as well as the targets say', async () => {
    const clinc: Clinc = await read('intents.json')
    expect(clinc.oos_test?.length).toBeGreaterThanOrEqual(20)
    expect(measureIntents('own', clinc.test ?? [], null).reached).toBe(true)
    expect(measureFalseWrites('own', clinc.oos_test ?? []).reached).toBe(true)
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
