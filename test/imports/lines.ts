import type { FileFacts, ReadItem, SourceFile } from '../../src/imports/kind'
import { FileFault } from '../../src/lib/file-fault'

/** What a line of a test's file says. */
export interface LineValue {
  /** The note's source, and what other lines call it. */
  readonly key: string
  readonly body: string
  /** The pass throws: an error of ours, or a refusal of this code. */
  readonly boom?: string
  /** The key of another line, which the second pass asks for. */
  readonly of?: string
}

/** A line that is told instead of a note: it cannot be read, the whole file is refused, or the reader breaks. */
interface Odd {
  readonly unreadable?: string
  readonly refused?: string
  readonly broken?: true
  /** A reader that never ends. */
  readonly endless?: true
}

/** Reads a file of JSON lines, a piece at a time. */
export function* readLines(file: SourceFile): Generator<FileFacts | ReadItem<LineValue>> {
  yield { format: 'lines', warnings: [{ code: 'of_test', detail: 'A file of a test.' }] }
  const decoder = new TextDecoder()
  let rest = ''
  let number = 0
  for (let at = 0; at < file.size; ) {
    const piece = file.read(at, 64 * 1024)
    at += piece.length
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield itemOf(line, ++number)
  }
  if (rest !== '') yield itemOf(rest, ++number)
}

function itemOf(text: string, number: number): ReadItem<LineValue> {
  const where = `line ${number}`
  const line: LineValue & Odd = JSON.parse(text)
  if (line.broken) throw new Error('broken on purpose')
  if (line.endless) for (;;);
  if (line.refused !== undefined) throw new FileFault('archive_refused', line.refused)
  if (line.unreadable !== undefined)
    return { where, type: 'note', fault: { code: 'unreadable', detail: line.unreadable } }
  return { where, type: 'note', key: line.key, value: line, bytes: new TextEncoder().encode(line.key) }
}
