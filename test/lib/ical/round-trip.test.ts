import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import ICAL from 'ical.js'
import { runs } from '../../support/full'
import { exported, readFile, task, unfold, write } from './support'
import { exportTask, text } from './tasks-arbitrary'

describe('export, then import', () => {
  test('gives the same members, relations, priority and unmodelled lines, without a warning', () => {
    fc.assert(
      fc.property(exportTask, (original) => {
        const { items, faults } = readFile(write([original]))
        expect(faults).toEqual([])
        expect(items.map(exported)).toEqual([original])
        expect(items.flatMap(({ warnings }) => warnings)).toEqual([])
      }),
      { numRuns: runs(60) },
    )
  })

  test('and exported again gives the same bytes', () => {
    fc.assert(
      fc.property(fc.array(exportTask, { maxLength: 5 }), (tasks) => {
        const file = write(tasks)
        expect(write(readFile(file).items.map(exported))).toBe(file)
      }),
      { numRuns: runs(60) },
    )
  })
})

describe('what is written', () => {
  test('is read by ical.js, with the same title, notes and labels', () => {
    fc.assert(
      fc.property(exportTask, (original) => {
        const root = new ICAL.Component(ICAL.parse(write([original])))
        const todo = root.getFirstSubcomponent('vtodo')
        expect(todo?.getFirstPropertyValue('summary')).toBe(original.title)
        expect(todo?.getFirstPropertyValue('description') ?? null).toBe(original.notes)
        expect(root.getAllSubcomponents('vtodo')).toHaveLength(1)
      }),
      { numRuns: runs(200) },
    )
  })

  test('has no line of more than 75 bytes, and folds to whole characters', () => {
    fc.assert(
      fc.property(text(2000), (notes) => {
        const file = write([task({ notes })])
        for (const line of file.split('\r\n')) {
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
          expect(line.isWellFormed()).toBe(true)
        }
      }),
      { numRuns: runs(60) },
    )
  })

  test.each([
    '👩‍👩‍👧‍👦'.repeat(60),
    'שלום עולם '.repeat(40).trim(),
    'مرحبا\u200f'.repeat(50),
    'é'.repeat(300),
    '\u0301'.repeat(200),
  ])('unfolds to the same text: %p', (title) => {
    expect(unfold(write([task({ title })]))).toContain(`SUMMARY:${title}`)
  })

  const lineBreaks = ['\r\n', '\n', '\r', '\u0085', '\u2028', '\u2029', '\v', '\f', '\r\n ', '\0\n']
  const attacks = lineBreaks.flatMap((end) => [
    `x${end}BEGIN:VALARM`,
    `x${end}END:VTODO${end}BEGIN:VTODO${end}UID:evil`,
  ])

  test.each(attacks)('no text begins a line of its own: %p', (attack) => {
    const labels = [attack]
    const hostile = task({
      uid: attack,
      title: attack,
      notes: attack,
      labels,
      parent_uid: attack,
      blocked_by_uids: [attack],
    })
    const file = write([{ ...hostile, reminders: [{ at: null, offset_minutes: -5, from: 'due' }] }])
    const lines = unfold(file).flatMap((line) => line.split(/[\r\n\u0085\u2028\u2029\v\f]/))
    expect(lines.filter((line) => /^(BEGIN|END):/.test(line))).toEqual([
      ...['BEGIN:VCALENDAR', 'BEGIN:VTODO', 'BEGIN:VALARM', 'END:VALARM', 'END:VTODO', 'END:VCALENDAR'],
    ])
    expect(lines.filter((line) => line.startsWith('UID'))).toHaveLength(1)
    expect(readFile(file).items).toHaveLength(1)
  })

  test.each([
    'END:VTODO\nBEGIN:VTODO\nUID:evil',
    'BEGIN:VALARM\nTRIGGER:-PT5M',
    'BEGIN:VTODO\nEND:VTODO',
    'BEGIN:VEVENT\nEND:VEVENT',
    'BEGIN;X=1:VALARM\nEND:VALARM',
    'no line at all',
    'X-A:1\r\nBEGIN:VTODO',
  ])('kept lines that would leave their item are not written: %p', (rest) => {
    expect(unfold(write([task({ rest })]))).toEqual(unfold(write([task()])))
  })
})
