import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../public/import-file.js'
import { zipOf, zipOfTexts } from '../support/zip'

const MANIFEST = JSON.stringify({ format: 'satchel-workspace', version: 1 })
const target = (name: string, content: BlobPart, kind?: Parameters<typeof targetOf>[2]) =>
  targetOf(new Blob([content]), name, kind)

describe('the import that takes a file', () => {
  test.each([
    ['notes.zip', zipOfTexts({ 'a.md': '# a' }), 'api/notes/import', 'application/zip'],
    ['empty.zip', zipOf([]), 'api/notes/import', 'application/zip'],
    ['vault', zipOfTexts({ 'a.md': '# a' }), 'api/notes/import', 'application/zip'],
    ['theirs.zip', zipOfTexts({ 'manifest.json': '{"format":"x"}' }), 'api/notes/import', 'application/zip'],
    ['deep.zip', zipOfTexts({ 'a/manifest.json': MANIFEST }), 'api/notes/import', 'application/zip'],
    ['all.zip', zipOfTexts({ 'manifest.json': MANIFEST, 'data/note.jsonl': '' }), 'api/import', 'application/zip'],
    ['again.zip', zipOfTexts({ 'data/note.jsonl': '{}', 'manifest.json': MANIFEST }), 'api/import', 'application/zip'],
    ['plain.zip', zipOf([{ name: 'manifest.json', data: MANIFEST, method: 0 }]), 'api/import', 'application/zip'],
    ['a.md', '# a', 'api/notes/import', 'text/markdown'],
    ['A.MARKDOWN', '', 'api/notes/import', 'text/markdown'],
    ['mine.enex', '<?xml version="1.0"?>\n<en-export>', 'api/notes/import', 'application/enex+xml'],
    ['evernote.xml', '\uFEFF<?xml version="1.0"?><en-export>', 'api/notes/import', 'application/enex+xml'],
    ['tasks.ics', 'BEGIN:VCALENDAR\r\n', 'api/tasks/import?file_name=tasks.ics', 'text/calendar'],
    ['tasks.txt', '\uFEFF\nbegin:vcalendar\n', 'api/tasks/import?file_name=tasks.txt', 'text/calendar'],
    ['d.apkg', zipOfTexts({ 'collection.anki2': '' }), 'api/flashcards/import?format=apkg', 'application/octet-stream'],
    ['d.COLPKG', zipOfTexts({ a: '' }), 'api/flashcards/import?format=apkg', 'application/octet-stream'],
    [
      'd.zip',
      zipOfTexts({ 'collection.anki21b': '' }),
      'api/flashcards/import?format=apkg',
      'application/octet-stream',
    ],
    ['Work.csv', '\uFEFFTYPE,CONTENT,DESCRIPTION\r\n', 'api/tasks/import?file_name=Work.csv', 'text/csv'],
    ['types.csv', 'type,front,back\n', 'api/flashcards/import?format=csv', 'application/octet-stream'],
    ['todo.txt', '(A) Call Ann', 'api/tasks/import?file_name=todo.txt', 'text/plain'],
    ['work-todo.TXT', '', 'api/tasks/import?file_name=work-todo.TXT', 'text/plain'],
    ['done.txt', 'x 2026-03-01 Call', 'api/tasks/import?file_name=done.txt', 'text/plain'],
    ['d.csv', 'front,back\n', 'api/flashcards/import?format=csv', 'application/octet-stream'],
    ['d.tsv', 'front\tback\n', 'api/flashcards/import?format=tsv', 'application/octet-stream'],
    ['Deck.txt', '#separator:tab\n#html:true\n', 'api/flashcards/import?format=tsv', 'application/octet-stream'],
    ['Deck.txt', '#separator:Comma\n', 'api/flashcards/import?format=csv', 'application/octet-stream'],
  ])('%s', async (name, content, path, type) => {
    expect(await target(name, content)).toMatchObject({ path, type })
  })

  test('is the one that is asked for, if it takes the file', async () => {
    const zip = zipOfTexts({ 'manifest.json': MANIFEST })
    expect(await target('all.zip', zip, 'notes')).toMatchObject({ path: 'api/notes/import' })
    for (const [name, content, kind] of [
      ['a.md', '# a', 'tasks'],
      ['a.md', '# a', 'flashcards'],
      ['a.zip', zipOfTexts({ a: '' }), 'workspace'],
      ['a.ics', 'BEGIN:VCALENDAR', 'notes'],
    ] as const)
      await expect(target(name, content, kind)).rejects.toThrow(
        `${name} is not a file that can be imported as ${kind}.`,
      )
  })

  test.each([
    ['photo.png', '\x89PNG'],
    ['notes', 'text'],
    ['notes.txt', 'text'],
    ['mastodo.txt', 'text'],
    ['broken.apkg', 'no zip'],
    ['.md.exe', ''],
  ])('none takes %s', async (name, content) => {
    await expect(target(name, content)).rejects.toThrow(
      `${name} is not a file that can be imported. Files that can be: .zip, `,
    )
  })
})

test('a zip that is cut off or lies about its directory is one of notes, whose import tells what is wrong', async () => {
  const whole = zipOfTexts({ 'manifest.json': MANIFEST })
  const lies = [zipOf([{ name: 'manifest.json', data: MANIFEST }], { start: 2 ** 31 }), whole.slice(0, 40)]
  const garbled = Uint8Array.from(whole)
  garbled.fill(255, 43, 60)
  for (const bytes of [...lies, garbled]) expect(await target('all.zip', bytes)).toMatchObject({ kind: 'notes' })
})

test('of a large file little is read', async () => {
  const read: number[] = []
  class Counted extends Blob {
    override slice(from = 0, to = this.size): Blob {
      read.push(to - from)
      return super.slice(from, to)
    }
  }
  const large = new Counted([zipOf([{ name: 'big', data: new Uint8Array(8 * 2 ** 20), method: 0 }])])
  expect((await targetOf(large, 'a.zip')).kind).toBe('notes')
  expect(read.length).toBeGreaterThan(1)
  expect(Math.max(...read)).toBeLessThan(70_000)
})
