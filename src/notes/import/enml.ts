import { fromDay } from '../../lib/civil/day'
import { civilOf, clockTime, isZone } from '../../lib/civil/zone'
import { UnreadableItem } from '../../lib/file-fault'
import { DATA_PICTURE } from '../../lib/markdown/allowed-html'
import {
  type Dialect,
  HIGHLIGHT,
  htmlToMarkdown,
  LINK,
  openBlock,
  openDivision,
  openImage,
  openLink,
  openStyle,
} from '../../lib/markdown/from-html'
import type { HtmlWriter } from '../../lib/markdown/html-writer'
import { escapeMarkdown } from '../../lib/markdown/writer'
import { titleKey } from '../../lib/text'
import { MAX_ATTACHMENT_BYTES, type NoteFile, nameOfNoteFile } from '../attachments/names'
import { createFileFault, readEnexInstant, toLinkableName, type Warning } from './parsed'

/** The files of Evernote's notes, which their export has in base64. */

/** Names of files of one export. Each takes about 100 bytes of memory while it is read. */
const MAX_NAMES = 200_000
/** Characters that are decoded at a time. */
const PIECE_CHARS = 64 * 1024
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

export interface EnexFile extends NoteFile {
  /** Whether the text shows it: a picture, a sound or a film. Others are links. */
  readonly isShown: boolean
}

interface ReadResource {
  /** MD5 of the data in hexadecimal, by which the text names it; null if it has a fault. */
  readonly hash: string | null
  readonly sha256: string
  readonly name: string
  readonly isShown: boolean
  readonly warnings: readonly Warning[]
  /** Empty unless they were to be kept. */
  readonly bytes: Uint8Array
  readonly fault: UnreadableItem | null
}

/** A resource while it is read: at most MAX_ATTACHMENT_BYTES are kept of it, and none if only its digests are wanted. */
export class EnexResource {
  mime = ''
  fileName = ''
  private readonly md5 = new Bun.CryptoHasher('md5')
  private readonly sha256 = new Bun.CryptoHasher('sha256')
  private chunks: Uint8Array[] = []
  private pending = ''
  private size = 0
  private isPadded = false
  private isBroken = false

  constructor(private readonly keepsBytes: boolean) {}

  /** Begins its data. @param encoding only `base64` is known */
  beginData(encoding = 'base64'): void {
    this.isBroken ||= encoding !== 'base64' || this.size > 0
  }

  addData(text: string): void {
    this.pending += text
    if (this.pending.length >= PIECE_CHARS) this.decode(false)
  }

  finish(): ReadResource {
    this.decode(true)
    const isWhole = !this.isBroken && this.size > 0
    const { name, warnings } = toLinkableName(this.fileName.trim() || `${this.kind}${endingOf(this.mime)}`)
    return {
      hash: isWhole ? this.md5.digest('hex') : null,
      sha256: this.sha256.digest('hex'),
      name,
      isShown: this.kind !== 'file',
      warnings,
      bytes: isWhole ? Buffer.concat(this.chunks) : new Uint8Array(),
      fault: this.findFault(),
    }
  }

  private get kind(): string {
    return /^(image|audio|video)\//i.exec(this.mime)?.[1]?.toLowerCase() ?? 'file'
  }

  private findFault(): UnreadableItem | null {
    if (this.isBroken) return new UnreadableItem('invalid_base64', 'The data of the attachment is not base64.')
    if (this.size === 0) return new UnreadableItem('missing_file', 'The attachment has no data.')
    if (this.size <= MAX_ATTACHMENT_BYTES) return null
    return new UnreadableItem('too_large', `An attachment may have at most ${MAX_ATTACHMENT_BYTES} bytes.`)
  }

  /** Decodes what has come, in groups of four characters; the last one may be shorter. */
  private decode(isLast: boolean): void {
    const text = this.isBroken ? '' : this.pending.replace(/\s+/g, '')
    const length = isLast ? text.length : text.length - (text.length % 4)
    this.pending = text.slice(length)
    if (length === 0) return
    const piece = text.slice(0, length)
    const isPadded = piece.endsWith('=')
    this.isBroken = this.isPadded || !BASE64.test(piece) || length % 4 === 1 || (isPadded && length % 4 !== 0)
    this.isPadded = isPadded
    if (this.isBroken) this.chunks = []
    else this.addBytes(Buffer.from(piece, 'base64'))
  }

  private addBytes(bytes: Uint8Array): void {
    this.size += bytes.length
    this.md5.update(bytes)
    this.sha256.update(bytes)
    if (this.size > MAX_ATTACHMENT_BYTES) this.chunks = []
    else if (this.keepsBytes) this.chunks.push(bytes)
  }
}

/** The ending of a file without a name; programs go by it. */
function endingOf(mime: string): string {
  const [, subtype = ''] = /^[\w-]+\/([a-z0-9]{2,8})$/i.exec(mime.trim()) ?? []
  const known: Readonly<Record<string, string>> = { jpeg: 'jpg', mpeg: 'mp3', quicktime: 'mov', plain: 'txt' }
  return subtype === '' ? '' : `.${known[subtype.toLowerCase()] ?? subtype.toLowerCase()}`
}

/** The names of all files of an export: its notes lie in one folder, and many of their files are called `image.png`. */
export class EnexNames {
  private readonly holders = new Map<string, string>()

  /**
   * Tells whether other bytes had the name first, and whether these bytes had it before.
   * @throws FileFault above MAX_NAMES names
   */
  claim(name: string, sha256: string): { readonly clashes: boolean; readonly isRepeated: boolean } {
    const key = Bun.hash(titleKey(name)).toString(36)
    const holder = this.holders.get(key)
    const clashes = holder !== undefined && holder !== sha256.slice(0, 32)
    const own = clashes ? `${key} ${sha256.slice(0, 32)}` : key
    const isRepeated = this.holders.has(own)
    this.holders.set(own, sha256.slice(0, 32))
    if (this.holders.size > MAX_NAMES) throw createFileFault(`The file has more than ${MAX_NAMES} attachments.`)
    return { clashes, isRepeated }
  }
}

/**
 * Converts ENML, the XHTML of Evernote's notes, to Markdown. Evernote marks text by elements or by styles, depending on
 * its version, and writes a list within a list beside the item that it belongs to.
 */

/** A task of Evernote. It is not in the text: a group of tasks has a place there. */
export interface EnexTask {
  title: string
  taskStatus: string
  /** The id of its group; empty if it has none. */
  taskGroupNoteLevelID: string
  /** Tasks of a group are sorted by this text. */
  sortWeight: string
  /** `true` for a flagged task. */
  taskFlag: string
  /** When it is due, such as `20260102T030405Z`; empty if it is not. */
  dueDate: string
  /** `date_only` if the time of `dueDate` means nothing. */
  dueDateUIOption: string
  timeZone: string
  /** Whether it has a reminder, a repetition or a person. */
  hasDetails: boolean
}

/** What a note has besides its text, and the text has places for. */
interface EnexParts {
  readonly tasks: readonly EnexTask[]
  /** By the MD5 of their data. */
  readonly files: ReadonlyMap<string, EnexFile>
}

/** What cannot be kept: the reports by code, each with the number of its occurrences. */
const LOSSES: Readonly<Record<string, (count: number) => string>> = {
  link_dropped: (n) => `The addresses of ${n} links, such as files on a computer, were left out; their text is kept.`,
  picture_dropped: (n) =>
    `${n} pictures inside the text, large ones or of other kinds, were left out; their descriptions are kept.`,
  element_dropped: (n) => `${n} frames, videos, drawings or other embedded parts were left out.`,
  formatting_dropped: () => 'Colours, fonts, sizes or alignment were left out.',
  merged_cells: (n) => `${n} merged cells of tables became single ones.`,
  encrypted: (n) => `${n} encrypted parts are kept as they are, in blocks of code.`,
  note_links: (n) => `${n} links to notes of Evernote lead to the notes with these titles now.`,
  attachment_missing: (n) => `${n} attachments that the text shows are not in the file, or their data is broken.`,
  task_details: (n) =>
    `The flags, reminders, repetitions or people of ${n} tasks, or dates that cannot be read, were left out.`,
}

/**
 * Converts the text of an Evernote note. What it has no place for comes at the end. Each kind of loss adds one warning. Throws UnreadableItem.
 */
export function enmlToMarkdown(enml: string, { tasks, files }: EnexParts, warnings: Warning[]): string {
  const losses = new Map<string, number>()
  const lose = (code: keyof typeof LOSSES & string) => losses.set(code, (losses.get(code) ?? 0) + 1)
  for (const task of tasks)
    if (task.hasDetails || task.taskFlag === 'true' || (task.dueDate !== '' && writeDue(task) === null))
      lose('task_details')
  const markdown = htmlToMarkdown(enml, createDialect({ tasks, files }, lose))
  for (const [code, count] of losses) warnings.push({ code, detail: LOSSES[code]?.(count) ?? '' })
  return markdown
}

const NOTE_LINK = /^(?:evernote:\/\/\/view\/|https:\/\/(?:www\.evernote\.com\/shard\/|share\.evernote\.com\/note\/))/i
/** Characters of the pictures within one text: a quarter of the limit of a body, so that they do not fail the note. */
const MAX_INLINE_CHARS = 256 * 1024
const TASK_GROUP = /--en-task-group:\s*true/
const EMBEDDED = 'iframe object embed video audio canvas svg math applet'

function createDialect({ tasks, files }: EnexParts, lose: (code: string) => void): Dialect {
  const sorted = tasks.toSorted((a, b) => (a.sortWeight < b.sortWeight ? -1 : a.sortWeight > b.sortWeight ? 1 : 0))
  const groups = Map.groupBy(sorted, ({ taskGroupNoteLevelID }) => taskGroupNoteLevelID)
  const writeGroup = (writer: HtmlWriter, group: string) => {
    for (const task of groups.get(group) ?? []) writeTask(writer, task)
    groups.delete(group)
  }
  const unplaced = new Map(files)
  let room = MAX_INLINE_CHARS
  const openMedia = (writer: HtmlWriter, { hash = '' }: Record<string, string>) => {
    const file = files.get(hash.trim().toLowerCase())
    if (!file) lose('attachment_missing')
    // Code shows no files, and hidden text is not there: the file then comes at the end.
    else if (writer.code === null && writer.muted === 0) {
      unplaced.delete(hash.trim().toLowerCase())
      writer.addPlainMark(toFileLink(file))
    }
    return undefined
  }
  const openEmbedded = () => {
    lose('element_dropped')
    return undefined
  }
  return {
    xhtml: true,
    math: true,
    elements: {
      ...Object.fromEntries(EMBEDDED.split(' ').map((name) => [name, openEmbedded])),
      'en-media': openMedia,
      'en-todo': (writer, { checked }) => {
        writer.todo(checked === 'true' || checked === 'checked')
        return undefined
      },
      'en-crypt': (writer, { hint, cipher = '' }) => {
        lose('encrypted')
        if (writer.rows || writer.code !== null) return openBlock(writer)
        writer.endBlock()
        writer.code = [`en-crypt ${cipher}`.trim(), ...(hint ? [`hint: ${hint}`] : []), ''].join('\n')
        return () => writer.writeCode()
      },
      div: (writer, attributes) => {
        const { style = '' } = attributes
        if (!TASK_GROUP.test(style)) return openDivision(writer, attributes)
        writer.endBlock()
        const [, group = ''] = /--en-id:\s*([\w-]+)/.exec(style) ?? []
        writeGroup(writer, group)
        // Inside is a sentence for older programs, which cannot show tasks.
        writer.muted++
        return () => {
          writer.muted--
        }
      },
      a: (writer, attributes) => {
        const { href = '' } = attributes
        if (writer.code === null && NOTE_LINK.test(href)) {
          writer.openSpan((text) => {
            const link = toNoteLink(text)
            lose(link === text ? 'link_dropped' : 'note_links')
            return link
          })
          return () => writer.closeSpan()
        }
        if (href !== '' && !LINK.test(href)) lose('link_dropped')
        return openLink(writer, attributes)
      },
      img: (writer, attributes) => {
        const { src = '', alt = '' } = attributes
        if (/^https?:/i.test(src) && writer.code === null) return openImage(writer, attributes)
        if (DATA_PICTURE.test(src) && src.length <= room && writer.code === null && writer.muted === 0) {
          room -= src.length
          writer.addPlainMark(`![${escapeMarkdown(alt, false)}](${src})`)
          return undefined
        }
        lose('picture_dropped')
        writer.text(alt)
        return undefined
      },
    },
    attributes(writer, name, { style = '', colspan = '1', rowspan = '1', color, face, size, align }) {
      if (writer.muted > 0) return undefined
      if (/^t[dh]$/.test(name) && (colspan !== '1' || rowspan !== '1')) lose('merged_cells')
      const isColoured = COLOURS.test(style) && !HIGHLIGHT.test(style) && !/-en-(?:codeblock|task-group)/.test(style)
      if (isColoured || [color, face, size, align].some((value) => value !== undefined)) lose('formatting_dropped')
      return style === '' ? undefined : openStyle(writer, name, style)
    },
    end(writer) {
      for (const group of groups.keys()) writeGroup(writer, group)
      for (const file of unplaced.values()) {
        const endBlock = openBlock(writer)
        writer.addPlainMark(toFileLink(file))
        endBlock()
      }
    },
  }
}

const COLOURS = /(?:^|[;\s])(?:color|background-color|background|font-size|font-family|text-align)\s*:/

function writeTask(writer: HtmlWriter, task: EnexTask): void {
  const end = openBlock(writer)
  const due = writeDue(task)
  writer.todo(task.taskStatus === 'completed')
  writer.text(due === null ? task.title : `${task.title} (due ${due})`)
  end()
}

/**
 * Writes when a task is due, in its time zone: `2026-01-31`, and ` 18:00` if it has a time. Null if that cannot be read.
 */
function writeDue({ dueDate, dueDateUIOption, timeZone }: EnexTask): string | null {
  const at = readEnexInstant(dueDate)
  if (at === null) return null
  const isKnown = isZone(timeZone)
  const { day, minutes } = civilOf(at, isKnown ? timeZone : 'UTC')
  if (minutes === 0 || dueDateUIOption.toLowerCase() === 'date_only') return fromDay(day)
  return `${fromDay(day)} ${clockTime(minutes)}${isKnown ? '' : ' UTC'}`
}

function toFileLink(file: EnexFile): string {
  return `${file.isShown ? '!' : ''}[[${nameOfNoteFile(file)}]]`
}

function toNoteLink(text: string): string {
  const title = text
    .replace(/(?<!\\)(?:\*\*?|~~)|<\/?(?:u|mark|sub|sup)>/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/\s+/g, ' ')
  return /[[\]|#^]/.test(title) ? text : `[[${title}]]`
}
