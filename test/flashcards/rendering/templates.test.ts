import { describe, expect, test } from 'bun:test'
import { inner, renderFact, renderNote } from './inert'

const prompt = async (question: string, fields: Record<string, string>, more: object = {}) =>
  inner((await renderNote({ question, fields, ...more })).prompt)
const answer = async (question: string, fields: Record<string, string>, more: object = {}) =>
  inner((await renderNote({ question: '{{Front}}', answer: question, fields, ...more })).answer)
const CLOZE = { kind: 'cloze' } as const
const INPUT = '<input type="text" class="typeans" autocomplete="off" aria-label="Answer">'

test('the style elements of a template are its style sheet, and the rest is shown', async () => {
  const question = '<style>b{color:red}<style>i{color:blue}</style>{{Front}}</style><style>u{color:green}'
  const rendered = await renderNote({ question, fields: { Front: 'a' } })
  expect(inner(rendered.prompt)).toBe('a')
  const [, sheet = ''] = /<style>([^<]*)<\/style>/.exec(rendered.prompt) ?? []
  expect(['b', 'i', 'u'].map((name) => new RegExp(`(?:^|\\})${name}:where`).test(sheet))).toEqual([true, false, false])
})

describe('templates', () => {
  test.each([
    ['{{Front}}|{{Back}}', '<b>a</b>|'],
    ['{{#Front}}f{{/Front}}{{^Front}}no{{/Front}}{{#Back}}b{{/Back}}{{^Back}}none{{/Back}}', 'fnone'],
    ['{{Deck}}|{{Subdeck}}|{{Tags}}|{{Card}}|{{Type}}', 'Deck::Sub|Sub|t|Card 1|n'],
    ['{{text:Front}}', 'a'],
    ['{{unknown:Front}}|{{Nothing}}', '<b>a</b>|'],
    ['{{tts en_US voices=Bob,Jane speed=1:Front}}{{tts en:Back}}', '<span lang="en-US" class="tts" hidden="">a</span>'],
    ['{{tts en speed=0.75:Front}}', '<span lang="en" data-speed="0.75" class="tts" hidden="">a</span>'],
    ['{{tts en speed=100:Front}}<b data-speed=2>', '<span lang="en" class="tts" hidden="">a</span><b></b>'],
    ['{{tts "><b>:text:Front}}', '<span class="tts" hidden="">a</span>'],
    ['{{hint:Front}}{{hint:Back}}', '<details class="hint"><summary>Front</summary><div><b>a</b></div></details>'],
    ['{{ Front }} {{ #Back }}no{{/ Back }}}}', '<b>a</b> }}'],
    ['1<!--{{#Back}}-->{{text:Front}}<!-- {{/Back}} {{Front}} <!-- x -->2-->', '1a2--&gt;'],
    ['{{^Back}}<!-- {{text:Front}}{{/Back}}', ''],
    ['\n{{=<% %>=}}<%text:Front%><% #Back %>no<%/Back%>{{#Front}}', 'a{{#Front}}'],
    ['{{x::text:Front}}', 'a'],
    ['{{type:Front}}', INPUT],
    ['{{type:nc:Front}}{{type:cloze:Front}}{{type:Back}}', INPUT],
  ])('%s shows %s', async (question, html) => {
    expect(await prompt(question, { Front: '<b>a</b>', Back: '' })).toBe(html)
  })

  test('the answer repeats the question, but not its sounds and text fields', async () => {
    const { answer: html } = await renderNote({
      question: '{{Front}} {{type:Back}}{{tts en:Front}}',
      answer: '{{FrontSide}}<hr id=answer>{{type:Back}}',
      fields: { Front: 'q [sound:a.mp3]', Back: 'typed' },
    })
    expect(inner(html)).toBe('q  <hr class="id-answer" /><div class="typeans">typed</div>')
  })

  test.each([
    ['furigana', '<ruby>日本<rt>にほん</rt></ruby>と<ruby>中国<rt>ちゅうごく</rt></ruby>'],
    ['kana', 'にほんとちゅうごく'],
    ['kanji', '日本と中国'],
  ])('%s', async (filter, html) => {
    expect(await prompt(`{{${filter}:Front}}`, { Front: '日本[にほん]と 中国[ちゅうごく]' })).toBe(html)
  })

  test.each([
    ['kana', 'test first[second] third[fourth]', 'testsecondfourth'],
    ['kanji', 'test first[second] third[fourth]', 'testfirstthird'],
    ['kana', 'お茶[ちゃ]を飲[の]む&nbsp;水[みず]', 'ちゃのむみず'],
  ])('%s of %s', async (filter, Front, html) => {
    expect(await prompt(`{{${filter}:Front}}`, { Front })).toBe(html)
  })

  test.each([
    ['日本[にほん]と 中国[ちゅうごく]。', '<ruby>日本<rt>にほん</rt></ruby>と<ruby>中国<rt>ちゅうごく</rt></ruby>。'],
    ['漢字[hàn zì] and 食べる[たべる]', '<ruby>漢字<rt>hàn zì</rt></ruby> and <ruby>食べる<rt>たべる</rt></ruby>'],
    ['私は **日本[にほん]**', '私は <strong><ruby>日本<rt>にほん</rt></ruby></strong>'],
    ['<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>', '<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>'],
    ['注[1] list[a] `日本[にほん]` 日本\\[にほん]', '注[1] list[a] <code>日本[にほん]</code> 日本[にほん]'],
    [
      '[日本[にほん]](https://a.example "日本[に]")',
      '<a href="https://a.example" title="日本[に]"><ruby>日本<rt>にほん</rt></ruby></a>',
    ],
    ['![日本[に]](a.png)', '<img src="/signed/a.png" alt="日本[に]" />'],
  ])('readings in a fact of our own: %s', async (front, html) => {
    expect(inner((await renderFact({ front })).prompt)).toBe(html)
  })

  test.each([['a [1]'], ['x[sound:a.mp3]'], ['no brackets']])('%s has no reading', async (text) => {
    expect(await prompt('{{furigana:Front}}', { Front: text })).not.toContain('<ruby>')
  })

  test('a card without its template, or a field without a value, is empty', async () => {
    expect(await prompt('{{Front}}', {})).toBe('')
    expect(await prompt('{{Front}}', { Front: 'a' }, { ordinal: 3 })).toBe('')
  })
})

describe('clozes', () => {
  const asked = (text: string) => `<span class="cloze">${text}</span>`
  const other = (text: string) => `<span class="cloze-inactive">${text}</span>`
  test.each([
    ['{{c1::a}} {{c2::b}}', 0, `${asked('[...]')} ${other('b')}`, `${asked('a')} ${other('b')}`],
    ['{{c1::a::hint}}', 0, asked('[hint]'), asked('a')],
    ['{{c2::a {{c1::b}}}}', 0, other(`a ${asked('[...]')}`), other(`a ${asked('b')}`)],
    ['{{c2::a {{c1::b}}}}', 1, asked('[...]'), asked(`a ${other('b')}`)],
    ['{{c1::a {{c2::b}}::hint}}', 0, asked('[hint]'), asked(`a ${other('b')}`)],
    ['{{c1::a {{c2::b}}::hint}}', 1, other(`a ${asked('[...]')}`), other(`a ${asked('b')}`)],
    [
      '{{c1,2::a}} {{c1::b}} {{c2::c}}',
      1,
      `${asked('[...]')} ${other('b')} ${asked('[...]')}`,
      `${asked('a')} ${other('b')} ${asked('c')}`,
    ],
    ['{{c1::a::hint {{c2::b}} c}}', 0, asked('[hint]'), asked(`a${other('b')} c`)],
    ['{{c1::a::hint {{c2::b}} c}}', 1, other(`a${asked('[...]')} c`), other(`a${asked('b')} c`)],
    ['{{c1::a}} {{c2::b}}', 2, '', ''],
    ['{{c1,2::a}}', 1, asked('[...]'), asked('a')],
    [
      '{{c0::a}} {{c1::}} {{c1::b}}',
      0,
      `${other('a')} ${asked('[...]')} ${asked('[...]')}`,
      `${other('a')} ${asked('')} ${asked('b')}`,
    ],
    ['{{c1::<b>a</b><br>c}}', 0, asked('[...]'), asked('<b>a</b><br />c')],
    ['{{c1::a}} {{c2::open', 0, `${asked('[...]')} {{c2::open`, `${asked('a')} {{c2::open`],
    ['{{c2::open::{{c3::x {{c1::a}}', 0, `{{c2::open::{{c3::x ${asked('[...]')}`, `{{c2::open::{{c3::x ${asked('a')}`],
    ['{{c1::open', 0, '', ''],
    [`${'{{c2::'.repeat(10)}{{c1::x}}${'}}'.repeat(10)}`, 0, '', ''],
    ['{{c1::<code>a}}b::c</code>}}', 0, asked('[...]'), asked('<code>a}}b::c</code>')],
    ['<pre>f({{c1::x}})</pre>', 0, `<pre>f(${asked('[...]')})</pre>`, `<pre>f(${asked('x')})</pre>`],
  ])('%s, number %d', async (text, ordinal, front, back) => {
    const given = { ...CLOZE, ordinal }
    expect(await prompt('{{cloze:Front}}', { Front: text }, given)).toBe(front)
    expect(await answer('{{cloze:Front}}', { Front: text }, given)).toBe(back)
  })

  test('within maths, nothing is marked, and none that begins before it ends', async () => {
    const html = await prompt('{{cloze:Front}}', { Front: '\\({{c1::x}} + \\frac{1}{2}\\) $ {{c1::5}}$' }, CLOZE)
    expect(html).toStartWith('<math>')
    expect(html.match(/cloze/g)?.length).toBe(1)
    const whole = '{{c1::[$]\\sqrt{\\frac{a}{b}}[/$]}}'
    expect(await prompt('{{cloze:Front}}', { Front: whole }, CLOZE)).toBe(asked('[...]'))
    expect(await answer('{{cloze:Front}}', { Front: whole }, CLOZE)).toMatch(
      /^<span class="cloze"><math>.*<\/math><\/span>$/,
    )
    expect(
      await prompt(
        '{{cloze:Front}}',
        { Front: '[latex]{{c1::foo}} {{c2::bar::baz}}[/latex]' },
        { ...CLOZE, ordinal: 1 },
      ),
    ).not.toContain('cloze')
  })

  test.each([
    ['foo', 0, '', ''],
    ['foo {{c1::bar}}', 0, '...', 'bar'],
    ['foo {{c1::bar::baz}}', 0, 'baz', 'bar'],
    ['foo {{c1::bar}}', 1, '', ''],
    ['{{c1::foo}} {{c2::{{c1::bar::hint}}}}', 0, '..., hint', 'foo, bar'],
  ])('cloze-only of %s, number %d', async (text, ordinal, front, back) => {
    expect(await prompt('{{cloze-only:Front}}', { Front: text }, { ...CLOZE, ordinal })).toBe(front)
    expect(await answer('{{cloze-only:Front}}', { Front: text }, { ...CLOZE, ordinal })).toBe(back)
  })

  test('{{#c1}} is for the card of that number', async () => {
    const question = '{{cloze:Front}}{{#c1}}one{{/c1}}{{#c2}}two{{/c2}}'
    const texts = { Front: '{{c1::a}}{{c2::b}}' }
    expect(await prompt(question, texts, { ...CLOZE, ordinal: 1 })).toEndWith('two')
  })

  test.each([
    ['{{c2::foo}}', ''],
    ['{{c1::foo}} {{c1::bar}} {{c1::foo}}', 'foo, bar, foo'],
    ['{{c1::foo}} {{c1::foo}} {{c2::x {{c1::foo}}}}', 'foo'],
  ])('of type:cloze, %s asks for %s', async (text, right) => {
    const typed = '{{type:cloze:Front}}'
    expect(await prompt(typed, { Front: text }, CLOZE)).toBe(right === '' ? '' : INPUT)
    expect(await answer(typed, { Front: text }, CLOZE)).toBe(`<div class="typeans">${right}</div>`)
  })

  test('facts in Markdown have the same marks', async () => {
    const { prompt: front, answer: back } = await renderFact({ text: 'a {{c1::**b**::what}} {{c2::c}}', extra: '*d*' })
    expect(inner(front)).toBe(`a ${asked('[what]')} ${other('c')}`)
    expect(inner(back)).toBe(`a ${asked('<strong>b</strong>')} ${other('c')}<br /><br /><em>d</em>`)
  })
})

describe('image occlusion', () => {
  const IMAGE = { kind: 'image_occlusion' } as const
  const PICTURE = '<img src="map.png">'
  const draw = async (masks: string, ordinal = 0) => {
    const fields = { Front: masks, Back: PICTURE }
    const question = '{{cloze:Front}}{{Back}}'
    const { prompt: front, answer: back } = await renderNote({ ...IMAGE, question, answer: question, fields, ordinal })
    return [front, back].map((html) =>
      [...html.matchAll(/<(rect|ellipse|polygon) ([^>]*) class="([\w-]+)"/g)].map(([, ...found]) => found),
    )
  }
  const RECT = '{{c1::image-occlusion:rect:left=.1:top=.2:width=.3:height=.4:oi=1}}'
  const at = 'x="0.1" y="0.2" width="0.3" height="0.4"'

  test.each([
    [RECT, [['rect', at, 'occlusion-asked']], [['rect', at, 'occlusion-shown']]],
    [
      '{{c1::image-occlusion:ellipse:left=.1:top=.2:rx=.1:ry=.2}}',
      [['ellipse', 'cx="0.2" cy="0.4" rx="0.1" ry="0.2"', 'occlusion-asked']],
      [['ellipse', 'cx="0.2" cy="0.4" rx="0.1" ry="0.2"', 'occlusion-shown']],
    ],
    [
      '{{c1::image-occlusion:polygon:points=.1,.1 .2,.2 .3,.1}}',
      [['polygon', 'points="0.1,0.1 0.2,0.2 0.3,0.1"', 'occlusion-asked']],
      [['polygon', 'points="0.1,0.1 0.2,0.2 0.3,0.1"', 'occlusion-shown']],
    ],
  ])('%s is drawn', async (mask, front, back) => {
    expect(await draw(mask)).toEqual([front, back])
  })

  test('those that are not asked are covered only with oi=1', async () => {
    expect(await draw(RECT, 1)).toEqual([[['rect', at, 'occlusion-other']], [['rect', at, 'occlusion-other']]])
    expect(await draw(RECT.replace(':oi=1', ''), 1)).toEqual([[], []])
  })

  test.each([
    ['{{c1::image-occlusion:rect:left=x:top=.2:width=.3:height=.4}}'],
    ['{{c1::image-occlusion:rect:left=1e9:top=.2:width=.3:height=.4}}'],
    ['{{c1::image-occlusion:rect:left=1000000:top=.2:width=.3:height=.4}}'],
    ['{{c1::image-occlusion:rect:left=.1:top=.2:width=.3}}'],
    ['{{c1::image-occlusion:polygon:points=.1,.1 .2,.2}}'],
    ['{{c1::image-occlusion:path:left=.1:top=.2:width=.3:height=.4}}'],
    ['{{c1::not-occlusion:rect:left=.1:top=.2:width=.3:height=.4}}'],
  ])('%s is not', async (mask) => {
    expect(await draw(mask)).toEqual([[], []])
  })

  test('masks are drawn over the picture wherever it is shown', async () => {
    const html = await prompt('{{Back}}{{Back}}{{Back}}', { Front: RECT, Back: PICTURE }, IMAGE)
    expect(html.match(/<rect /g)).toHaveLength(3)
  })

  test('a field that spells the mark of the picture does not multiply the masks beyond a side', async () => {
    const corners = Array.from({ length: 400 }, (_, i) => `.${i},.${i}`).join(' ')
    const masks = `{{c1::image-occlusion:polygon:points=${corners}}}`.repeat(10)
    const shown = (times: number) =>
      prompt('{{Back}}', { Front: masks, Back: PICTURE + '<anki-occluded></anki-occluded>'.repeat(times) }, IMAGE)
    expect((await shown(20)).match(/<polygon /g)).toHaveLength(210)
    await expect(shown(100)).rejects.toThrow(RangeError)
  })

  test('labels are text', async () => {
    const masks = `${RECT}{{c0::image-occlusion:text:left=.5:top=.6:text=<b>x:scale=1}}`
    const html = await prompt('{{Back}}', { Front: masks, Back: PICTURE }, IMAGE)
    expect(html).toContain('left:50%;top:60%;line-height:1">&lt;b&gt;x</span></span>')
    expect(await prompt('{{cloze:Front}}', { Front: masks, Back: PICTURE }, IMAGE)).toBe('')
  })
})

describe('HTML', () => {
  test.each([
    [
      '<font color="#f00" size=5 face="Arial">a</font>',
      '<span style="color:#f00;font-family:Arial;font-size:x-large">a</span>',
    ],
    ['<center>a</center><strike>b</strike>', '<div style="text-align:center">a</div><s>b</s>'],
    ['<p id=x class="a b" dir=rtl lang=he>a</p>', '<p dir="rtl" lang="he" class="a b id-x">a</p>'],
    ['<a href="https://a.example/?b=1&c=2" target=_blank>a</a>', '<a href="https://a.example/?b=1&amp;c=2">a</a>'],
    ['<td>x', 'x'.replace('x', '<td>x</td>')],
    ['<img src="https://a.example/x.png" alt="map">', '<a href="https://a.example/x.png">map</a>'],
    ['<img src="https://a.example/x.png">', '<a href="https://a.example/x.png">https://a.example/x.png</a>'],
    ['<img src="//a.example/x.png">', '<img />'],
    ['<img src="a%20b.png" width=20>', '<img src="/signed/a%20b.png" width="20" />'],
    ['<img src="gone.png">', '<span class="missing-media">gone.png</span>'],
    [
      '[sound:a.mp3][sound:b.mp4]',
      '<audio controls preload="none" src="/signed/a.mp3"></audio><video controls preload="none" src="/signed/b.mp4"></video>',
    ],
    ['<audio src="a.mp3" autoplay></audio>', '<audio controls preload="none" src="/signed/a.mp3"></audio>'],
    ['a<script>b</script><button>c</button><svg><text>d</text></svg>e', 'ae'],
  ])('%s', async (field, html) => {
    expect(await prompt('{{Front}}', { Front: field })).toBe(html)
  })
})
