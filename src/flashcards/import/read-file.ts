import { ApiError } from '../../http/api-error'
import type { FileFacts, Read, ReadItem, SourceFile } from '../../imports/kind'
import { FileFault } from '../../lib/file-fault'
import { readLines } from '../../lib/markdown/lines'
import { UnreadableItem } from '../../lib/unreadable-item'
import { fieldToMarkdown } from '../anki/field-markdown'
import { PACKAGE_LIMITS, readPackage } from '../anki/import'
import { findDrafts } from '../drafting/service'
import { readCsv } from '../formats/csv'
import { readJsonExport } from '../formats/json'
import { decodeText, type ParsedFact, type ParsedFlashcards, type ParsedMedia } from '../formats/parsed'
import { checkedMediaName } from '../media/media-file'
import { sha256Of } from '../media/writer'
import type { ImportFormat, ImportParams } from './schema'

/** Each line is held apart: a file of nothing but line ends would not fit otherwise. */
const MARKDOWN_LINES = 1_000_000

/** The facts that a Markdown file has the form of, as drafts are made. Throws invalid_request, too_large. */
export function* readMarkdown(bytes: Uint8Array): Generator<ParsedFact> {
  const text = decodeText(bytes)
  if (countLines(text) > MARKDOWN_LINES)
    throw new ApiError('too_large', `The file may have at most ${MARKDOWN_LINES} lines.`)
  for (const { fact, line } of findDrafts(readLines(text)))
    yield {
      kind: 'fact',
      where: `line ${line}`,
      fact,
      deck: [],
      external_modified_at: null,
      cards: [],
      log: [],
    }
}

function countLines(text: string): number {
  let count = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 10 || code === 13) count += 1
  }
  return count
}

/** An item as the import gets it, unless it is a line of our own export: the bytes of media are apart from it. */
export type ImportItem = Exclude<ParsedFlashcards, { kind: 'fault' | 'media' }> | StoredMedia

export interface StoredMedia extends Omit<ParsedMedia, 'bytes'> {
  readonly sha256: string
}

/**
 * Reads a file of flashcards; to be called in a Worker.
 * @throws FileFault for a file that is refused as a whole: invalid_package, unsupported_package, invalid_request,
 * invalid_json, too_large
 */
export const readFlashcards: Read<ImportParams> = async function* (file, params): AsyncGenerator<FileFacts | ReadItem> {
  const { format, workspace } = params
  yield { format }
  try {
    if (format === 'json') yield* readJsonExport(file, params)
    else for await (const item of parsed(file, format, workspace)) yield toItem(item)
  } catch (error) {
    throw error instanceof ApiError ? new FileFault(error.code, error.detail) : error
  }
}

function parsed(
  file: SourceFile,
  format: Exclude<ImportFormat, 'json'>,
  workspace: ImportParams['workspace'],
): Iterable<ParsedFlashcards> | AsyncIterable<ParsedFlashcards> {
  if (format === 'apkg') return readPackage(file, PACKAGE_LIMITS[workspace])
  const bytes = file.whole()
  return format === 'markdown' ? readMarkdown(bytes) : readCsv(bytes, format, htmlToMarkdown)
}

function htmlToMarkdown(html: string): string | null {
  try {
    return fieldToMarkdown(html)
  } catch (error) {
    if (error instanceof UnreadableItem) return null
    throw error
  }
}

function toItem(item: ParsedFlashcards): ReadItem<ImportItem> {
  switch (item.kind) {
    case 'fault':
      return { where: item.where, type: item.type, fault: { code: item.code, detail: item.detail } }
    case 'deck':
      return { where: shown('deck', item.path.join('::')), type: 'deck', value: item }
    case 'media':
      return toMedia(item)
    case 'fact':
      return { where: item.where, type: 'fact', value: item }
  }
}

function toMedia({ name: raw, bytes }: ParsedMedia): ReadItem<ImportItem> {
  const head = { where: shown('media', raw), type: 'media' }
  try {
    const name = checkedMediaName(raw)
    return { ...head, key: name, value: { kind: 'media', name, sha256: sha256Of(bytes) }, bytes }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { ...head, fault: { code: 'media_name', detail: error.detail } }
  }
}

/** A report is stored, and its lines are short. */
function shown(type: string, name: string): string {
  const text = name.toWellFormed().replace(/\p{Cc}/gu, '\ufffd')
  return `${type} ${text.slice(0, 100).toWellFormed()}`
}
