import { Parser } from 'htmlparser2'
import { enmlToMarkdown } from './enml'
import { ArchiveFault, type Draft, EMPTY_DRAFT, failed, ItemFault, type ParsedItem, type Warning } from './parsed'
import { toInstant, toTags, toTitle } from './wording'

/**
 * Evernote's export (ENEX): one XML file with all notes, read in one pass without keeping it. Entities are those of XML,
 * and in a note's text those of HTML; a file that declares its own is refused. Attachments are passed over.
 */

/** Characters of the ENML of one note, eight times as much as a body can have. */
const MAX_CONTENT = 8 * 1024 * 1024
/** Characters of any other member of a note. */
const MAX_FIELD = 64 * 1024
const MAX_DEPTH = 32
const MAX_ATTRIBUTES = 64
/** Bytes that go to the parser at a time. */
const CHUNK = 64 * 1024

/** The notes of a file. Throws ArchiveFault if it is no ENEX, or declares entities. */
export function* parseEnex(bytes: Uint8Array): Generator<ParsedItem> {
  const reader = new EnexReader()
  const parser = new Parser(reader, { xmlMode: true })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for (let at = 0; at < bytes.length; at += CHUNK) {
    parser.write(decodePart(decoder, bytes.subarray(at, at + CHUNK), at + CHUNK < bytes.length))
    yield* reader.taken()
  }
  parser.end()
  yield* reader.taken()
  if (!reader.begun) throw new ArchiveFault('This is not an Evernote export.')
  if (reader.cutOff) yield failed('', { code: 'cut_off', detail: 'The file ends too early.' })
}

function decodePart(decoder: TextDecoder, bytes: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream })
  } catch {
    throw new ArchiveFault('The file is not text in UTF-8.')
  }
}

/** A note while it is being read. */
interface Raw {
  readonly fields: Map<string, string[]>
  readonly attributes: Map<string, string>
  readonly tasks: { title: string; status: string }[]
  resources: number
  tooLong: boolean
}

class EnexReader {
  begun = false
  cutOff = false
  private readonly path: string[] = []
  private readonly done: ParsedItem[] = []
  private readonly ordinals = new Map<string, number>()
  private note: Raw | null = null
  private text: string[] = []
  private length = 0
  private count = 0

  taken(): ParsedItem[] {
    return this.done.splice(0)
  }

  onprocessinginstruction(name: string, data: string): void {
    if (name.startsWith('!') && /\[|<!|!(entity|element|attlist|notation)/i.test(data.replace(/^!DOCTYPE/i, '')))
      throw new ArchiveFault('The file declares entities or elements of its own, which are not read.')
  }

  onopentag(name: string): void {
    if (this.path.length === 0 && name !== 'en-export') throw new ArchiveFault('This is not an Evernote export.')
    if (this.path.length >= MAX_DEPTH) throw new ArchiveFault('The file nests too deep.')
    this.begun = true
    this.path.push(name)
    this.text = []
    this.length = 0
    if (this.path.length === 2 && name === 'note')
      this.note = { fields: new Map(), attributes: new Map(), tasks: [], resources: 0, tooLong: false }
    else if (this.note && name === 'task') this.note.tasks.push({ title: '', status: '' })
  }

  ontext(text: string): void {
    const name = this.path.at(-1)
    // The bytes of attachments are most of a file.
    if (!this.note || name === 'data') return
    this.length += text.length
    if (this.length <= (name === 'content' ? MAX_CONTENT : MAX_FIELD)) this.text.push(text)
    else this.note.tooLong = true
  }

  onclosetag(name: string, isImplied: boolean): void {
    const { note, path } = this
    const parent = path.at(-2)
    path.pop()
    if (!note) this.cutOff ||= isImplied
    else if (name === 'note' && path.length === 1) this.end(note, isImplied)
    else if (name === 'resource') note.resources++
    else this.field(note, parent ?? '', name)
    this.text = []
    this.length = 0
  }

  private field(note: Raw, parent: string, name: string): void {
    const text = this.text.join('')
    const task = note.tasks.at(-1)
    if (parent === 'note') note.fields.set(name, [...(note.fields.get(name) ?? []).slice(-99), text])
    else if (parent === 'note-attributes' && text.trim() !== '' && note.attributes.size < MAX_ATTRIBUTES)
      note.attributes.set(name, text.trim())
    else if (parent === 'task' && task && name === 'title') task.title = text.trim()
    else if (parent === 'task' && task && name === 'taskStatus') task.status = text
  }

  private end(note: Raw, isImplied: boolean): void {
    this.note = null
    const title = note.fields.get('title')?.at(-1) ?? ''
    const path = `#${++this.count} ${title.slice(0, 200)}`.trim()
    if (isImplied) {
      this.done.push(failed(path, { code: 'cut_off', detail: 'The file ends in the middle of this note.' }))
      return
    }
    const source = this.sourceOf(title, note.fields.get('created')?.at(-1) ?? '')
    try {
      const warnings: Warning[] = []
      this.done.push({ path, id: null, source, draft: draftOf(note, title, warnings), warnings })
    } catch (error) {
      if (!(error instanceof ItemFault)) throw error
      this.done.push(failed(path, error, source))
    }
  }

  /** ENEX has no ids: title and time of creation stand for one, and a number where they are the same. */
  private sourceOf(title: string, created: string): { system: string; id: string } {
    const digest = new Bun.CryptoHasher('sha256').update(JSON.stringify([title, created])).digest('hex')
    const ordinal = (this.ordinals.get(digest) ?? 0) + 1
    this.ordinals.set(digest, ordinal)
    return { system: 'enex', id: `${digest}-${ordinal}` }
  }
}

function draftOf({ fields, attributes, tasks, resources, tooLong }: Raw, title: string, warnings: Warning[]): Draft {
  if (tooLong) throw new ItemFault('too_long', 'The note is longer than a note can be.')
  if (resources > 0) warnings.push({ code: 'attachment_skipped', detail: `${resources} attachments are not stored.` })
  const text = enmlToMarkdown(fields.get('content')?.at(-1) ?? '')
  const boxes = tasks
    .map(({ title, status }) => `- [${status === 'completed' ? 'x' : ' '}] ${title.replace(/\s+/g, ' ')}\n`)
    .join('')
  return {
    ...EMPTY_DRAFT,
    title: toTitle(title, warnings),
    body: [text, boxes].filter((part) => part !== '').join('\n'),
    tags: toTags(fields.get('tag') ?? [], warnings),
    properties: Object.fromEntries(attributes),
    created_at: instant(fields.get('created')?.at(-1)),
    updated_at: instant(fields.get('updated')?.at(-1)),
  }
}

/** `20260102T030405Z` */
function instant(text = ''): number | null {
  return toInstant(text.trim().replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}
