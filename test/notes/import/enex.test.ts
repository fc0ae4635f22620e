import { describe, expect, test } from 'bun:test'
import { FileFault, UnreadableItem } from '../../../src/lib/file-fault'
import { parseEnex } from '../../../src/notes/import/enex'
import { enmlToMarkdown } from '../../../src/notes/import/enml'
import type { ParsedItem, Warning } from '../../../src/notes/import/parsed'
import { spent } from '../../support/cost'
import { FULL } from '../../support/full'
import { fileOf } from './support'

const HEAD =
  '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">\n'
const note = (title: string, content: string, rest = '') =>
  `<note><title>${title}</title><created>20260102T030405Z</created><updated>20260203T040506Z</updated>${rest}<content><![CDATA[<?xml version="1.0"?><!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note>${content}</en-note>]]></content></note>`
const enex = (...notes: string[]) => `${HEAD}<en-export export-date="20260301T000000Z">${notes.join('\n')}</en-export>`
const parse = (text: string): ParsedItem[] => [...parseEnex(fileOf(Buffer.from(text)))]

describe('an Evernote export', () => {
  test('gives each note with its times, tags, attributes and boxes', () => {
    const [item] = parse(
      enex(
        note(
          'Shop &amp; list',
          '<div>Buy:</div><div><en-todo checked="true"/>milk</div><div><en-todo/>eggs</div>',
          '<tag>home</tag><tag>#a,b</tag><note-attributes><source-url>http://x/</source-url></note-attributes><resource><data encoding="base64">AAAA</data></resource>',
        ),
      ),
    )
    expect(item).toMatchObject({
      path: '#1 Shop & list',
      source: { system: 'enex', id: expect.stringMatching(/^[0-9a-f]{64}-1$/) },
      draft: {
        title: 'Shop & list',
        body: 'Buy:\n\n- [x] milk\n- [ ] eggs\n\n[[file]]\n',
        tags: ['home', 'a-b'],
        properties: { 'source-url': 'http://x/' },
        created_at: Date.parse('2026-01-02T03:04:05Z'),
        updated_at: Date.parse('2026-02-03T04:05:06Z'),
      },
      warnings: [{ code: 'tag_changed' }],
    })
  })

  test('tells notes of one title and time apart by their order, and knows them again', () => {
    const twice = enex(note('A', 'one'), note('A', 'two'), note('B', 'three'))
    const ids = parse(twice).map(({ source }) => source?.id)
    expect(new Set(ids).size).toBe(3)
    expect(parse(twice).map(({ source }) => source?.id)).toEqual(ids)
  })

  test('may have tasks apart from the text', () => {
    const [item] = parse(
      enex(
        note(
          'T',
          'x',
          '<task><title>one</title><taskStatus>completed</taskStatus></task><task><title>two</title><taskStatus>open</taskStatus></task>',
        ),
      ),
    )
    expect(item && 'draft' in item ? item.draft.body : '').toBe('x\n\n- [x] one\n- [ ] two\n')
  })

  test('has the tasks of a group in its place, in their order, and says what of them is lost', () => {
    const group = (id: string) =>
      `<div style="--en-task-group:true; --en-id:${id};color:#868686"><div>Content not supported</div></div>`
    const task = (title: string, group: string, weight: string, rest = '') =>
      `<task><title>${title}</title><taskStatus>open</taskStatus><taskFlag>false</taskFlag><sortWeight>${weight}</sortWeight><taskGroupNoteLevelID>${group}</taskGroupNoteLevelID>${rest}</task>`
    const tasks =
      task('second', 'g-1', 'R', '<dueDate>20260101T000000Z</dueDate>') +
      task('*first*', 'g-1', 'J', '<reminder><reminderDate>20260101T000000Z</reminderDate></reminder>') +
      task('elsewhere', 'g-2', 'A')
    const [item] = parse(
      enex(note('T', `<div>a</div>${group('g-1')}<div>b</div>`, '').replace('</note>', `${tasks}</note>`)),
    )
    expect(item).toMatchObject({
      draft: { body: 'a\n\n- [ ] \\*first\\*\n- [ ] second (due 2026-01-01)\n\nb\n\n- [ ] elsewhere\n' },
      warnings: [{ code: 'task_details', detail: expect.stringContaining(' of 1 tasks') }],
    })
  })

  const due = (date: string, option = '', zone = '') =>
    `<dueDate>${date}</dueDate><dueDateUIOption>${option}</dueDateUIOption><timeZone>${zone}</timeZone>`
  test.each([
    ['a date', due('20260131T000000Z'), ' (due 2026-01-31)', false],
    ['a date elsewhere', due('20260131T225959Z', 'date_only', 'Asia/Tokyo'), ' (due 2026-02-01)', false],
    ['a time', due('20260131T170000Z', 'date_time', 'Europe/Berlin'), ' (due 2026-01-31 18:00)', false],
    [
      'a time in no known zone',
      due('20260131T170000Z', 'date_time', 'Nowhere/X'),
      ' (due 2026-01-31 17:00 UTC)',
      false,
    ],
    ['none', '', '', false],
    ['an empty one', due(''), '', false],
    ['one that cannot be read', due('20261331T000000Z'), '', true],
    ['a flag and a date', `<taskFlag>true</taskFlag>${due('20260131T000000Z')}`, ' (due 2026-01-31)', true],
    ['a repetition', '<recurrence>FREQ=DAILY</recurrence>', '', true],
  ])('keeps in the text when a task is due: %s', (_, members, written, isLost) => {
    const task = `<task><title>pay</title><taskStatus>completed</taskStatus>${members}</task>`
    const [item] = parse(enex(note('T', '<div>a</div>', '').replace('</note>', `${task}</note>`)))
    expect(item).toMatchObject({ draft: { body: `a\n\n- [x] pay${written}\n` } })
    expect(item?.warnings.map(({ code }) => code)).toEqual(isLost ? ['task_details'] : [])
  })

  test('that is cut off anywhere gives its whole notes, and says that the rest is missing', () => {
    const whole = enex(note('A', 'one'), note('B', 'two'))
    for (let length = whole.indexOf('<note>'); length < whole.length; length += 7) {
      const items = parse(whole.slice(0, length))
      expect(items.at(-1)).toMatchObject({ outcome: 'failed', warnings: [{ code: 'cut_off' }] })
      expect(items.filter((item) => 'draft' in item).length).toBe(
        (whole.slice(0, length).match(/<\/note>/g) ?? []).length,
      )
    }
  })

  const laughs = `<!DOCTYPE lolz [<!ENTITY a "lol">${'bcdefghij'
    .split('')
    .map((name, i) => `<!ENTITY ${name} "${`&${'abcdefghi'[i]};`.repeat(10)}">`)
    .join('')}]>`
  test.each([
    ['a billion laughs', `${laughs}<en-export><note><title>&j;</title></note></en-export>`],
    [
      'an entity that names a file',
      `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><en-export><note><title>&f;</title></note></en-export>`,
    ],
    ['another root', '<html><note/></html>'],
    ['no XML at all', 'hello'],
    ['depth without end', `<en-export>${'<note>'.repeat(100_000)}`],
    ['nothing', '<?xml version="1.0"?>'],
  ])('with %s is refused', (_, text) => {
    expect(() => parse(text)).toThrow(FileFault)
  })

  test('knows no entities but those of XML, and in the text those of HTML', () => {
    const [item] = parse(enex(note('&lt;&nbsp;&lol;', '&eacute;&nbsp;&lol;&#x41;&quot;')))
    expect(item).toMatchObject({ draft: { title: '<&nbsp;&lol;', body: 'é \\&lol;A"\n' } })
  })

  const MIB = 1024 * 1024
  const outcomes = (items: ParsedItem[]) => items.map((item) => ('draft' in item ? 'a note' : item.warnings[0]?.code))

  test('may have attachments and what was read in them of any size', () => {
    const large = `<resource><data encoding="base64">${'A'.repeat((FULL ? 40 : 10) * MIB)}</data><recognition>${'r'.repeat(MIB)}</recognition></resource>`
    expect(outcomes(parse(enex(note('A', 'one', large), note('B', 'two'))))).toEqual(['a note', 'a note'])
  })

  test.each([
    ['text', note('A', 'x'.repeat(9 * MIB))],
    ['text in pieces', `<note><title>A</title><content>${`${'x'.repeat(99)}&lt;`.repeat(90_000)}</content></note>`],
    ['a title', note('x'.repeat(MIB), 'one')],
    ['tags', note('A', 'one', `<tag>${'t'.repeat(60_000)}</tag>`.repeat(150))],
    ['tasks', note('A', 'one', `<task/>`.repeat(2 * MIB))],
  ])('with a note of too much %s fails that note alone', (_, large) => {
    expect(outcomes(parse(enex(large, note('B', 'two'))))).toEqual(['too_long', 'a note'])
  })

  test('may have comments of any number', () => {
    const comments = `<!--${'c'.repeat(MIB)}-->`.repeat(20)
    expect(outcomes(parse(`${HEAD}<en-export>${comments}${note('A', 'one')}</en-export>`))).toEqual(['a note'])
  })

  test.each([
    ['a section', '<![CDATA[', 'x'],
    ['a comment', '<!--', 'x'],
    ['a tag', '<note a="', 'x'],
    ['a tag of many members', '<note ', 'a="1" '],
  ])('is refused where %s has no end, before all of it is read', (_, start, piece) => {
    const begun = Buffer.from(`<en-export>${start}`)
    const filler = Buffer.from(piece.repeat(30_000))
    let last = 0
    const read = (offset: number, length: number) => {
      last = offset
      return new Uint8Array(offset === 0 ? begun : filler.subarray(0, length))
    }
    expect(() => [...parseEnex({ size: 512 * MIB, read })]).toThrow('markup that is too long')
    expect(last).toBeLessThan(64 * MIB)
  })

  test('that is not UTF-8 is refused', () => {
    expect(() => [...parseEnex(fileOf(new Uint8Array([0x3c, 0xff, 0xfe])))]).toThrow(FileFault)
  })
})

const NOTHING_ELSE = { tasks: [], files: new Map() }
const losses = (enml: string) => {
  const warnings: Warning[] = []
  enmlToMarkdown(`<en-note>${enml}</en-note>`, NOTHING_ELSE, warnings)
  return warnings.map(({ code }) => code)
}
const toMarkdown = (enml: string) => enmlToMarkdown(`<en-note>${enml}</en-note>`, NOTHING_ELSE, [])
const styled = (style: string, text = 'x') => `<span style="${style}">${text}</span>`

describe('the text of an Evernote note', () => {
  test.each([
    ['<div>one</div><div><br/></div><div>two<br/>three</div>', 'one\n\ntwo  \nthree\n'],
    ['<b>bold </b>and <i>it</i> <s>gone</s> <u>under</u>', '**bold** and *it* ~~gone~~ <u>under</u>\n'],
    ['<b><div>a</div><div>b</div></b>', '**a**\n\n**b**\n'],
    ['<ul><li>a<ul><li>b</li></ul></li><li><div>c</div></li></ul>', '- a\n  - b\n- c\n'],
    ['<ol><li>a</li><li>b<div>more</div></li></ol>', '1. a\n2. b\n\n   more\n'],
    [
      '<ul style="--en-todo:true;"><li style="--en-checked:true;"><div>a</div></li><li><div>b</div></li></ul>',
      '- [x] a\n- [ ] b\n',
    ],
    ['<ul><li><en-todo/>a</li></ul>', '- [ ] a\n'],
    ['<blockquote><div>a</div><div>b</div></blockquote>c', '> a\n>\n> b\n\nc\n'],
    ['<h2>Head</h2><hr/>x', '## Head\n\n---\n\nx\n'],
    ['<table><tr><th>A</th><th>B</th></tr><tr><td>x|y</td></tr></table>', '| A | B |\n| --- | --- |\n| x\\|y |  |\n'],
    [
      '<div style="-en-codeblock:true;"><div>if (a) {</div><div>  *b*</div><div>}</div></div>',
      '```\nif (a) {\n  *b*\n}\n```\n',
    ],
    ['<pre>a\n```\n</pre>', '````\na\n```\n````\n'],
    ['<code>a*b`c</code>', '`` a*b`c ``\n'],
    [
      '<a href="https://x.y/(a) b">l]k</a> <a href="javascript:alert(1)">js</a>',
      '[l\\]k](https://x.y/%28a%29%20b) js\n',
    ],
    ['<script>alert(1)</script><style>b{}</style>x<iframe src="http://x">y</iframe>', 'xy\n'],
    ['# no *heading* _here_ snake_case &lt;b&gt; [x]', '\\# no \\*heading\\* \\_here\\_ snake_case \\<b> \\[x\\]\n'],
    [
      '<div>- no item</div><div>1. nor this</div><div>&gt; nor that</div>',
      '\\- no item\n\n1\\. nor this\n\n\\> nor that\n',
    ],
    [styled('font-weight:bold'), '**x**\n'],
    [styled('font-weight: 700;'), '**x**\n'],
    [styled('font-style: italic'), '*x*\n'],
    [styled('text-decoration: line-through;'), '~~x~~\n'],
    [styled('text-decoration-line:underline'), '<u>x</u>\n'],
    [styled('vertical-align: super'), '<sup>x</sup>\n'],
    [styled('background-color: rgb(255, 250, 165);-evernote-highlight:true;'), '<mark>x</mark>\n'],
    [styled('--en-highlight:yellow;background-color: #ffef9e;'), '<mark>x</mark>\n'],
    [styled('font-weight:bold;font-style:italic'), '***x***\n'],
    [`<b>${styled('font-weight:bold', 'once')}</b>`, '**once**\n'],
    ['<div style="font-weight:bold"><div>a</div><div>b</div></div>c', '**a**\n\n**b**\n\nc\n'],
    [styled('font-weight:500'), 'x\n'],
    [styled('font-weight:normal'), 'x\n'],
    [styled('text-decoration:none'), 'x\n'],
    ['<b style="font-weight:normal">page</b>', 'page\n'],
    ['<h1 style="font-weight:bold">Head</h1>', '# Head\n'],
    ['H<sub>2</sub>O x<sup>2</sup>', 'H<sub>2</sub>O x<sup>2</sup>\n'],
    ['<ol start="5"><li>five</li><li value="9">nine</li><li>ten</li></ol>', '5. five\n9. nine\n10. ten\n'],
    ['<ol start="-1"><li>a</li></ol>', '1. a\n'],
    [
      '<ul><li>a</li><ul><li>b</li><ul><li>c</li></ul><li>d</li></ul><li>e</li></ul>',
      '- a\n  - b\n    - c\n  - d\n- e\n',
    ],
    // Numbered lists that touch would be one in Markdown, and so have another mark each.
    ['<ol><li>a</li></ol><ol><li>b</li></ol>', '1. a\n1) b\n'],
    ['<ol><li>a</li><li>b</li></ol><div><br/></div><ol start="5"><li>c</li></ol>', '1. a\n2. b\n5) c\n'],
    ['<ol><li>a</li></ol><ol><li>b</li></ol><ol><li>c</li></ol>', '1. a\n1) b\n1. c\n'],
    ['<ol><li>a<ol><li>b</li></ol><ol><li>c</li></ol></li></ol>', '1. a\n   1. b\n   1) c\n'],
    ['<ol><li>a</li><ol><li>b</li></ol><ol><li>c</li></ol></ol>', '1. a\n   1. b\n   1) c\n'],
    ['<blockquote><ol><li>a</li></ol><ol><li>b</li></ol></blockquote>', '> 1. a\n> 1) b\n'],
    ['<ol><li>a<ol><li>b</li></ol></li></ol><ol><li>c</li></ol>', '1. a\n   1. b\n1) c\n'],
    // These do not touch, go on with the number, or are of two kinds.
    ['<ol><li>a</li></ol><ol start="2"><li>b</li></ol>', '1. a\n2. b\n'],
    ['<ol><li>a</li></ol><ul><li>b</li></ul><ol><li>c</li></ol>', '1. a\n- b\n1. c\n'],
    ['<ol><li>a</li></ol><div>x</div><ol><li>b</li></ol>', '1. a\n\nx\n\n1. b\n'],
    ['<ol><li>a</li></ol><hr/><ol><li>b</li></ol>', '1. a\n\n---\n\n1. b\n'],
    ['<ol><li>a</li><ol><li>b</li></ol></ol>', '1. a\n   1. b\n'],
    ['<ol><li>a<ol><li>b</li></ol></li><li>c<ol><li>d</li></ol></li></ol>', '1. a\n   1. b\n2. c\n   1. d\n'],
    ['<ol><li>a<ol><li>b</li></ol></li><li><ol><li>d</li></ol></li></ol>', '1. a\n   1. b\n2. 1. d\n'],
    ['<ul><li>a<ol><li>b</li></ol></li></ul><ol><li>c</li></ol>', '- a\n  1. b\n1. c\n'],
    ['<ol></ol><ol><li>b</li></ol>', '1. b\n'],
    ['<ol><li>a</li></ol><ul></ul><ol><li>b</li></ol>', '1. a\n1) b\n'],
    ['<ol><li>a</li><ul><li>b</li></ul><li>c</li></ol>', '1. a\n   - b\n2. c\n'],
    ['<ul><ul><li>a</li></ul><li>b</li></ul>', '- a\n- b\n'],
    ['<ul><li>a</li><li style="list-style:none"><ul><li>b</li></ul></li><li>c</li></ul>', '- a\n  - b\n- c\n'],
    [
      '<ul style="--en-todo:true;"><li style="--en-checked:false;">a</li><ul style="--en-todo:true;"><li style="--en-checked:true;">b</li></ul></ul>',
      '- [ ] a\n  - [x] b\n',
    ],
    [
      '<table><caption>Table <b>1</b></caption><tr><td><div>a</div><div>b</div></td><td>c<br/>d</td></tr></table>',
      'Table **1**\n\n| a<br>b | c<br>d |\n| --- | --- |\n',
    ],
    ['<table>stray<tr><td>a</td></tr>more</table>', 'stray\n\nmore\n\n| a |\n| --- |\n'],
    ['<table><td>no row</td></table>', '| no row |\n| --- |\n'],
    [
      '<table><tr><td><ul><li>a</li><li>b</li></ul></td><td><en-todo checked="true"/>c</td></tr></table>',
      '| - a<br>- b | [x] c |\n| --- | --- |\n',
    ],
    ['<figure><figcaption>Fig. 1</figcaption></figure>', 'Fig. 1\n'],
    ['<a href="evernote:///view/1/s1/g/g/">My *note*_</a>', '[[My *note*_]]\n'],
    ['<a href="https://www.evernote.com/shard/s1/nl/1/g">Trip <b>two</b></a>', '[[Trip two]]\n'],
    ['<a href="evernote:///view/1/s1/g/g/">a [b]</a>', 'a \\[b\\]\n'],
    ['so $a_1 + b_2$ and $$\\frac{a}{b}$$ it is', 'so $a_1 + b_2$ and $$\\frac{a}{b}$$ it is\n'],
    ['from $5 and $x_1$ to $7', 'from $5 and $x_1$ to $7\n'],
    ['from $5 *to* $6', 'from $5 \\*to\\* $6\n'],
    ['<en-crypt cipher="AES" hint="h">QUJD</en-crypt>', '```\nen-crypt AES\nhint: h\nQUJD\n```\n'],
    ['<img src="data:image/png;base64,AA" alt="a cat"/>b', '![a cat](data:image/png;base64,AA)b\n'],
    ['<img src="data:image/svg+xml;base64,AA" alt="a cat"/>', 'a cat\n'],
    ['<img src="data:image/png;base64,A)A" alt="a cat"/>', 'a cat\n'],
    ['<pre><img src="data:image/png;base64,AA" alt="a cat"/></pre>', '```\na cat\n```\n'],
    ['<en-media hash="x" type="image/png"/>a', 'a\n'],
    ['', ''],
  ])('%s', (enml, markdown) => {
    expect(toMarkdown(enml)).toBe(markdown)
  })

  test.each([
    ['a link to a file', '<a href="file:///c:/x">x</a>', ['link_dropped']],
    ['a large picture inside', `<img src="data:image/png;base64,${'A'.repeat(256 * 1024)}"/>`, ['picture_dropped']],
    [
      'one of many pictures inside',
      `<img src="data:image/png;base64,${'A'.repeat(100 * 1024)}"/>`.repeat(3),
      ['picture_dropped'],
    ],
    ['a picture inside of another kind', '<img src="data:image/svg+xml;base64,AA"/>', ['picture_dropped']],
    ['a picture inside', '<img src="data:image/png;base64,AA"/>', []],
    ['a frame', '<iframe src="https://x"></iframe>', ['element_dropped']],
    ['colours', '<span style="color: red">x</span><font size="3">y</font>', ['formatting_dropped']],
    ['a merged cell', '<table><tr><td colspan="2">x</td></tr></table>', ['merged_cells']],
    ['what is encrypted', '<en-crypt>QUJD</en-crypt>', ['encrypted']],
    ['a link to a note', '<a href="evernote:///view/1/">x</a>', ['note_links']],
    ['a link to a note whose title no link can spell', '<a href="evernote:///view/1/">[x]</a>', ['link_dropped']],
    ['a web link', '<a href="https://x.y" style="text-decoration:none">x</a>', []],
    ['a picture of the web', '<img src="https://x.y/z.png"/>', []],
    ['a highlight', '<span style="--en-highlight:yellow;background-color: #ffef9e;">x</span>', []],
    ['a code block', '<div style="-en-codeblock:true;color:#333">x</div>', []],
    ['a file that is not there', '<en-media hash="x"/>', ['attachment_missing']],
    ['plain text', '<div>x</div><table><tr><td colspan="1">y</td></tr></table>', []],
  ])('%s is reported as lost, or not', (_, enml, codes) => {
    expect(losses(enml)).toEqual(codes)
  })

  test.each([
    '<div>',
    '<b>',
    '<b>x</b>',
    '<ul><li>x',
    '<blockquote>x',
    '<td>x',
    '<table>',
    '</a>',
    '<p>x',
    '<',
    '<!--',
    '&',
    'a*_[',
    '$_',
    '$$a',
    '$ $_',
    '<ul><li>a</li>',
    '<table><td>x</td>y',
    '<div style="--en-task-group:true;--en-id:g"></div>',
    '<span style="font-weight:bold">x',
    '<br/>x',
    '<en-todo/>x',
    '<pre>`',
  ])('512 KiB of %s is read or refused in time', async (piece) => {
    const { ms } = await spent(() => {
      try {
        toMarkdown(piece.repeat((512 * 1024) / piece.length))
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadableItem)
      }
    })
    expect(ms).toBeLessThan(3000)
  })
})
