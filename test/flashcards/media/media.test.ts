import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { detectMediaType } from '../../../src/blobs/media-type'
import {
  listMediaNames,
  makeFreeName,
  readMediaName,
  renameMedia,
  writeMediaReference,
} from '../../../src/flashcards/media/media-file'
import { ApiError } from '../../../src/http/api-error'
import { cost } from '../../support/cost'
import { anyText } from '../arbitrary'

const latin = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

const TYPES: [type: string, bytes: string][] = [
  ['image/png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
  ['image/jpeg', '\xff\xd8\xff\xe0\0\x10JFIF'],
  ['image/gif', 'GIF89a'],
  ['image/gif', 'GIF87a'],
  ['image/webp', 'RIFF\x24\0\0\0WEBPVP8 '],
  ['image/avif', '\0\0\0\x1cftypavif\0\0\0\0avifmif1'],
  ['image/avif', '\0\0\0\x1cftypavis\0\0\0\0avifmif1'],
  ['image/bmp', 'BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0'],
  ['image/bmp', 'BM\x46\0\0\0\0\0\0\0\x8a\0\0\0\x7c\0\0\0'],
  ['audio/flac', 'fLaC\0\0\0\x22\x10\0'],
  ['audio/flac', 'fLaC\x80\0\0\x22\x10\0'],
  ['audio/wav', 'RIFF\x24\0\0\0WAVEfmt '],
  ['audio/ogg', 'OggS\0\x02'],
  ['audio/mpeg', 'ID3\x04\0'],
  ['audio/mpeg', '\xff\xfb\x90\x44'],
  ['video/mp4', '\0\0\0\x20ftypisom\0\0\x02\0'],
  ['video/mp4', '\0\0\0\x20ftypmp42\0\0\0\0'],
  [
    'video/webm',
    '\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82\x84webm',
  ],
]
const UNKNOWN: [name: string, bytes: string][] = [
  ['nothing', ''],
  ['html', '<!doctype html><script>alert(1)</script>'],
  ['svg', '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'],
  ['pdf', '%PDF-1.7'],
  ['the beginning of a png', '\x89PNG'],
  ['html in a RIFF', 'RIFF<script>'],
  ['text that begins as a BMP', 'BM is short for bitmap, and this is a text'],
  ['BM and zeros', `BM${'\0'.repeat(30)}`],
  ['text that begins as FLAC', 'fLaC is a format'],
  ['HEIF', '\0\0\0\x18ftypheic\0\0\0\0mif1heic'],
  ['AVIF by a compatible brand alone', '\0\0\0\x1cftypmif1\0\0\0\0avifmif1'],
  ['QuickTime', '\0\0\0\x14ftypqt  '],
  ['Matroska', '\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska'],
  ['half a header of mp3', '\xff\xfb'],
  ['UTF-16 text', '\xff\xfe<\0h\0'],
]

describe('the type of a medium', () => {
  test.each(TYPES)('%s', (type, bytes) => {
    expect(detectMediaType(latin(bytes))).toBe(type)
  })
  test.each(UNKNOWN)('%s is saved, never shown', (_, bytes) => {
    expect(detectMediaType(latin(bytes))).toBe('application/octet-stream')
  })
})

describe('the name of a medium', () => {
  const refused = ['', '.', '..', '.htaccess', '../x', 'a/b', 'a\\b', 'a\0', 'a\nb', '\x7f', '\ud800', 'é'.repeat(128)]
  test.each(refused)('%j is refused', (name) => {
    expect(() => readMediaName(name)).toThrow(ApiError)
  })
  test.each(['cat.png', 'a b (1).png', 'ü', '…', 'a..b', `${'é'.repeat(127)}x`])('%s is taken', (name) => {
    expect(readMediaName(name)).toBe(name)
  })
  test('is kept in NFC', () => {
    expect(readMediaName('e\u0301.png')).toBe('é.png')
  })

  const sha = '0a1b2c3d'.padEnd(64, '0')
  test('for other bytes has eight digits of their hash before the extension', () => {
    expect(makeFreeName('cat.png', sha)).toBe('cat-0a1b2c3d.png')
    expect(makeFreeName('a.tar.gz', sha)).toBe('a.tar-0a1b2c3d.gz')
    expect(makeFreeName('cat', sha)).toBe('cat-0a1b2c3d')
    expect(makeFreeName('a.not an extension at all', sha)).toBe('a.not an extension at all-0a1b2c3d')
  })
  test('for other bytes is a name again, however long it was', () => {
    const long = [`${'é'.repeat(125)}.png`, '👍'.repeat(63), `x.${'y'.repeat(253)}`]
    for (const name of long) expect(readMediaName(makeFreeName(name, sha))).toContain('-0a1b2c3d')
  })
})

const REFERENCES: [markdown: string, names: string[]][] = [
  ['![](media:cat.png) and [b](media:my%20dog.mp3 "title")', ['cat.png', 'my dog.mp3']],
  ['![a](<media:my cat.png>)', ['my cat.png']],
  ['![](media:a(1).png)', ['a(1).png']],
  ['[a]: media:x.png\n<img src="media:y z.png">', ['x.png', 'y z.png']],
  ['![](media:e%CC%81.png) ![](media:é.png)', ['é.png']],
  ['![](media:100%.png) ![](media:%ff.png)', ['100%.png', '%ff.png']],
  ['multimedia:x media: x media:', []],
]

describe('references to media', () => {
  test.each(REFERENCES)('%s', (markdown, names) => {
    expect(listMediaNames(markdown)).toEqual(names)
  })

  test('are rewritten where the name is another, and nothing else is', () => {
    const renamed = new Map([['my dog.mp3', 'my dog-1.mp3']])
    expect(renameMedia('![](media:my%20dog.mp3) ![](<media:my dog.mp3>) my dog.mp3 ![](media:x%20y)', renamed)).toBe(
      '![](media:my%20dog-1.mp3) ![](<media:my%20dog-1.mp3>) my dog.mp3 ![](media:x%20y)',
    )
  })

  test('to any name are found again', () => {
    const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).filter((text) => {
      return text.isWellFormed() && !/[/\\\p{Cc}\u2028\u2029]|^\./u.test(text)
    })
    fc.assert(
      fc.property(name, (raw) => {
        const checked = readMediaName(raw)
        expect(listMediaNames(`a ![](${writeMediaReference(checked)}) b`)).toEqual([checked])
        expect(renameMedia(`![](media:x)`, new Map([['x', checked]]))).toBe(`![](${writeMediaReference(checked)})`)
      }),
    )
  })

  test('leave any text alone that renames nothing', () => {
    fc.assert(fc.property(anyText, (text) => expect(renameMedia(`media:${text}`, new Map())).toBe(`media:${text}`)))
  })

  test.each(['(media:', '<media:', ' media:', '(media:%', '"media:a '])(
    'of %s without end are found in time',
    async (unit) => {
      const text = unit.repeat(Math.ceil(200_000 / unit.length))
      expect(await cost(300, () => listMediaNames(text))).toBeLessThan(300)
    },
  )
})
