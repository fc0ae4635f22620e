import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ReadItem, SourceFile } from '../../../src/imports/kind'
import { readRows, writeRow } from '../../../src/lib/csv-rows'
import { FileFault } from '../../../src/lib/file-fault'
import type { TodoItem } from '../../../src/tasks/files/item'
import { readTodoTxt } from '../../../src/tasks/files/todo-txt'
import { readTodoist } from '../../../src/tasks/files/todoist'
import { runs } from '../../support/full'

const CONTEXT = {
  now: Date.UTC(2026, 2, 2, 12),
  project_id: null,
  file_name: null,
  time_zone: null,
  language: 'en',
} as const

function fileOf(text: string): SourceFile {
  const bytes = new TextEncoder().encode(text)
  return { path: '', size: bytes.length, read: (at, length) => bytes.slice(at, at + length), whole: () => bytes }
}

const isItem = (part: object): part is ReadItem<TodoItem> => 'where' in part

const piece = fc.oneof(
  fc.constantFrom(
    'x ',
    '(A) ',
    '2026-03-05 ',
    '+p',
    '@c',
    'due:',
    'rec:+1w',
    't:2026-03-01',
    'pri:Z',
    '\n',
    '\r\n',
    ' ',
  ),
  fc.constantFrom('task,', 'section,', 'note,', '"', ',', ';', 'every ', 'friday ', 'at 9am', '31 feb', 'None', '1'),
  fc.string({ unit: 'binary', maxLength: 6 }),
)
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('').toWellFormed())

test('any text is a todo.txt: each line is a task, which has a title and within it all that was not understood', () => {
  fc.assert(
    fc.property(text, (file) => {
      const items = [...readTodoTxt(fileOf(file), CONTEXT)].filter(isItem)
      expect(items).toHaveLength(file.split(/\r\n?|\n/).filter((line) => line.trim() !== '').length)
      for (const { value } of items) {
        expect(value?.members.title).not.toBe('')
        for (const { detail } of value?.warnings.filter(({ code }) => code === 'not_understood') ?? [])
          expect(value?.members.title.split(' ')).toContain(detail.split(' ')[0] ?? '')
      }
    }),
    { numRuns: runs(300) },
  )
})

test('any text below the header of Todoist is read, or refused as a file', () => {
  fc.assert(
    fc.property(text, (rows) => {
      const header =
        'TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,DATE,DATE_LANG,TIMEZONE,DURATION,DURATION_UNIT,DEADLINE\n'
      try {
        for (const part of readTodoist(fileOf(header + rows), CONTEXT))
          if (isItem(part)) expect(part.value?.members.title).not.toBe('')
      } catch (error) {
        expect(error).toBeInstanceOf(FileFault)
      }
    }),
    { numRuns: runs(300) },
  )
})

test('any words of a date are read whole, or are in the notes and the report', () => {
  const words = fc
    .array(
      fc.constantFrom('every', 'other', 'friday', '3rd', 'may', '5', 'at', '9am', 'until', 'noon', 'each', 'of', 'x'),
      { minLength: 1, maxLength: 5 },
    )
    .map((list) => list.join(' '))
  fc.assert(
    fc.property(words, (date) => {
      const rows = ['TYPE,CONTENT,DATE\r\n', writeRow(['task', 'a', date])].join('')
      const [item] = [...readTodoist(fileOf(rows), CONTEXT)].filter(isItem)
      const { members, warnings } = item?.value ?? {}
      const isKept = members?.notes === `DATE: ${date}` && warnings?.some(({ code }) => code === 'not_understood')
      expect(members?.due !== null || isKept === true).toBe(true)
      expect(members?.due !== null && members?.notes !== null).toBe(false)
    }),
    { numRuns: runs(300) },
  )
})

test('a row has a bounded number of cells', () => {
  expect(() => [...readRows(','.repeat(20_000), ',')]).toThrow('Line 1 has more than 10000 cells.')
  expect([...readRows(','.repeat(9_999), ',')][0]?.cells).toHaveLength(10_000)
})
