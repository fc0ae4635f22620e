import { titleKey } from '../../lib/text'
import { UnreadableItem } from '../../lib/unreadable-item'
import { MAX_ATTACHMENT_BYTES } from '../attachments/limits'
import type { NoteFile } from '../attachments/names'
import { createFileFault, toLinkableName, type Warning } from './parsed'

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

export interface ReadResource {
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
