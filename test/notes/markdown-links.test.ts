import { afterAll, describe, expect, test } from 'bun:test'
import { encodeNotePath, readNotePath } from '../../src/notes/markdown/note-path'
import { scanMarkdown } from '../../src/notes/markdown/scan-markdown'
import { makeNotesWorld, readerOf } from './support'

const world = await makeNotesWorld()
afterAll(world.close)

function stranger() {
  const me = readerOf(world, world.stranger())
  return {
    ...me,
    note: async (folder: string | null, file_name: string, body = ''): Promise<string> =>
      (await me.call('POST', '', { title: file_name.replace(/\.md$/, ''), folder, file_name, body })).body.id,
  }
}

describe('a Markdown link to a Markdown file is a link', () => {
  test.each([
    ['[x](../Money/Budget%202.md)'],
    ['[x](<../Money/Budget 2.md>)'],
    ['[x](../Money/Budget%202.md "a title")'],
    ['[x](Budget%202.md)'],
    ['[x](/Money/Budget%202.md#May)'],
    ['[x](Money/budget%202.MD)'],
    ['![x](../Money/Budget%202.md)'],
    ['[x][r]\n\n[r]: ../Money/Budget%202.md'],
    ['> [r]: <../Money/Budget 2.md>\n> "t"'],
    ['[![p](https://example.org/p.png)](../Money/Budget%202.md)'],
    ['[[../Money/Budget 2]]'],
    ['[[./../Money/Budget 2.md|x]]'],
    ['[[/Money/Budget 2]]'],
  ])('%s', async (body) => {
    const me = stranger()
    const budget = await me.note('Money', 'Budget 2.md', '# May')
    const id = await me.note('Work', 'Plan.md', body)
    expect(await me.targets(id)).toEqual([budget])
    expect([(await me.get(id)).links, (await me.get(budget)).links.in]).toEqual([{ out: 1, unresolved: 0, in: 0 }, 1])
  })

  test('with what it says, where it stands, and the line around it', async () => {
    const me = stranger()
    const budget = await me.note('Money', 'Über 2.md')
    const id = await me.note('Work', 'Plan.md', '🚂 see [the *plan*](../Money/%C3%9Cber%202.md#In%20May) now')
    expect(await me.links(id)).toEqual([
      {
        target: '../Money/Über 2.md',
        heading: 'In May',
        alias: 'the *plan*',
        embed: false,
        note_id: budget,
        attachment_id: null,
        ambiguous: false,
        missing: 'heading',
        start: 6,
        end: 54,
      },
    ])
    const [backlink] = (await me.call('GET', `/${budget}/backlinks`)).body.items
    expect(backlink).toMatchObject({ note_id: id, ranges: [[6, 54]] })
    const unresolved = async () => (await me.call('GET', '/unresolved')).body.items
    expect(await unresolved()).toMatchObject([{ target: '../Money/Über 2.md', kind: 'heading', heading: 'In May' }])
    await me.patch(budget, { body: 'In **may**!\n---\n' })
    expect(await unresolved()).toEqual([])
  })

  test('that leads nowhere is unresolved until the note is there', async () => {
    const me = stranger()
    const id = await me.note('Work', 'Plan.md', '[x](../Money/B.md) [y](./B.md) [z](../../B.md)')
    const { items } = (await me.call('GET', '/unresolved')).body
    expect(items.map(({ target }: { target: string }) => target).toSorted()).toEqual([
      '../../B.md',
      '../Money/B.md',
      './B.md',
    ])
    await me.note(null, 'B.md')
    expect(await me.targets(id)).toEqual([null, null, null])
    const [inMoney, inWork] = [await me.note('Money', 'B.md'), await me.note('Work', 'B.md')]
    expect(await me.targets(id)).toEqual([inMoney, inWork, null])
  })

  test.each([
    ...'https://example.org/Budget.md mailto:Budget.md javascript:Budget.md //example.org/Budget.md'.split(' '),
    ...'#Budget.md Budget Budget.png?x Budget.md?raw=1 x?/Budget.md Budget%ff.md C:/Budget.md'.split(' '),
  ])('but not %s', async (destination) => {
    const me = stranger()
    const budget = await me.note(null, 'Budget.md')
    const body = `[x](${destination})\n\n[r]: ${destination}\n`
    const id = await me.note(null, 'Plan.md', body)
    expect(await me.links(id)).toEqual([])
    await me.patch(budget, { title: 'Money' })
    expect(await me.body(id)).toBe(body)
  })

  test.each([
    '`[x](Budget.md)`',
    '```\n[x](Budget.md)\n```',
    '    [x](Budget.md)',
    '<!-- [x](Budget.md) -->',
    '%%[x](Budget.md)%%',
    '\\[x](Budget.md)',
    '[x] (Budget.md)',
    '[x](Budget .md)',
  ])('nor in %j', async (body) => {
    const me = stranger()
    await me.note(null, 'Budget.md')
    expect(await me.links(await me.note(null, 'Plan.md', body))).toEqual([])
  })
})

describe('a rename or a move rewrites Markdown links', () => {
  test.each([
    ['[x](../Money/Budget.md#May "t")', '[x](../Money/New%20name.md#May "t")'],
    ['[x](<../Money/Budget.md>)', '[x](<../Money/New name.md>)'],
    ['[x](Budget.md)', '[x](New%20name.md)'],
    ['[x](/Money/Budget.md)', '[x](/Money/New%20name.md)'],
    ['[x](Money/Budget.md)', '[x](Money/New%20name.md)'],
    ['![x][r]\r\n\r\n[r]:  ../Money/Budget.md', '![x][r]\r\n\r\n[r]:  ../Money/New%20name.md'],
    ['[a [[Budget]] b](../Money/Budget.md)', '[a [[New name]] b](../Money/New%20name.md)'],
    ['[[../Money/Budget|x]] [[/Money/Budget.md]]', '[[../Money/New name|x]] [[/Money/New name.md]]'],
    ['| [x](Budget.md) | `[x](Budget.md)` |\n|-|-|', '| [x](New%20name.md) | `[x](Budget.md)` |\n|-|-|'],
  ])('%j of another folder becomes %j', async (before, after) => {
    const me = stranger()
    const budget = await me.note('Money', 'Budget.md')
    const id = await me.note('Work', 'Plan.md', before)
    const { headers } = await me.patch(budget, { title: 'New name' })
    expect([headers.get('x-links-updated'), await me.body(id)]).toEqual(['1', after])
    expect(new Set(await me.targets(id))).toEqual(new Set([budget]))
  })

  test('of the note that they lead to: relative stays relative', async () => {
    const me = stranger()
    const budget = await me.note('Work', 'Budget.md')
    const id = await me.note(
      'Work',
      'Plan.md',
      '[a](Budget.md) [b](./Budget.md) [c](../Work/Budget.md) [[Budget]] [[./Budget]]',
    )
    await me.patch(budget, { folder: 'Money/2026' })
    expect(await me.body(id)).toBe(
      '[a](../Money/2026/Budget.md) [b](../Money/2026/Budget.md) [c](../Money/2026/Budget.md) [[Budget]] [[../Money/2026/Budget]]',
    )
    await me.patch(budget, { folder: 'Work/Sub' })
    expect(await me.body(id)).toBe(
      '[a](./Sub/Budget.md) [b](./Sub/Budget.md) [c](./Sub/Budget.md) [[Budget]] [[./Sub/Budget]]',
    )
    expect(new Set(await me.targets(id))).toEqual(new Set([budget]))
  })

  test('of the note that they stand in, which is not counted', async () => {
    const me = stranger()
    const budget = await me.note('Money', 'Budget.md')
    const plan = await me.note('Work', 'Other.md')
    const body =
      '[a](../Money/Budget.md) [b](Other.md) [c](/Money/Budget.md) [[../Money/Budget]] [[Budget]] [d](https://x.y/Other.md)'
    const id = await me.note('Work', 'Plan.md', body)
    await me.patch(id, { folder: 'Work/Deep/er' })
    expect(await me.body(id)).toBe(
      '[a](../../../Money/Budget.md) [b](../../Other.md) [c](/Money/Budget.md) [[../../../Money/Budget]] [[Budget]] [d](https://x.y/Other.md)',
    )
    expect(await me.targets(id)).toEqual([budget, plan, budget, budget, budget])
    await me.patch(id, { folder: null })
    expect(await me.body(id)).toBe(
      '[a](./Money/Budget.md) [b](./Work/Other.md) [c](/Money/Budget.md) [[./Money/Budget]] [[Budget]] [d](https://x.y/Other.md)',
    )
    expect(await me.targets(id)).toEqual([budget, plan, budget, budget, budget])
  })

  test('leaves a path below the folder as it is where neither folder nor name changes', async () => {
    const me = stranger()
    const sub = await me.note('Work/Sub', 'B.md')
    const id = await me.note('Work', 'Plan.md', '[[Sub/B]] [x](Sub/B.md)')
    expect(await me.targets(id)).toEqual([sub, sub])
    await me.patch(sub, { title: 'Another title', file_name: 'B.md' })
    expect(await me.body(id)).toBe('[[Sub/B]] [x](Sub/B.md)')
    await me.patch(sub, { file_name: 'C.md' })
    expect(await me.body(id)).toBe('[[Work/Sub/C]] [x](Sub/C.md)')
  })

  test('puts ./ before a name that would lead to a file in the root without it', async () => {
    const me = stranger()
    await me.note(null, 'Budget.md')
    const budget = await me.note('Work/Sub', 'Budget.md')
    const id = await me.note('Work', 'Plan.md', '[x](Sub/Budget.md)')
    await me.patch(budget, { folder: 'Work' })
    expect([await me.body(id), await me.targets(id)]).toEqual(['[x](./Budget.md)', [budget]])
  })

  test('keeps a wiki link on its note where another of that name is beside the new place', async () => {
    const me = stranger()
    const first = await me.note('a', 'Same.md')
    await me.note('b', 'Same.md')
    const id = await me.note('a', 'Plan.md', '[[Same]] [x](Same.md)')
    await me.patch(id, { folder: 'b' })
    expect(await me.body(id)).toBe('[[a/Same]] [x](../a/Same.md)')
    expect(await me.targets(id)).toEqual([first, first])
  })

  test('of a folder, inside and outside of it', async () => {
    const me = stranger()
    const [inside, sub] = [
      await me.note('Work', 'A.md', '[b](Sub/B.md) [o](../O.md)'),
      await me.note('Work/Sub', 'B.md', '[a](../A.md) [o](../../O.md)'),
    ]
    const outside = await me.note(null, 'O.md', '[a](Work/A.md) [b](./Work/Sub/B.md)')
    await me.call('POST', '/folders/rename', { from: 'Work', to: 'Home/Old' })
    expect([await me.body(inside), await me.body(sub), await me.body(outside)]).toEqual([
      '[b](Sub/B.md) [o](../../O.md)',
      '[a](../A.md) [o](../../../O.md)',
      '[a](Home/Old/A.md) [b](./Home/Old/Sub/B.md)',
    ])
    expect([await me.targets(inside), await me.targets(sub), await me.targets(outside)]).toEqual([
      [sub, outside],
      [inside, outside],
      [inside, sub],
    ])
  })
})

describe('HTML', () => {
  test('leads from both kinds of links to the notes, and from no other link', async () => {
    const me = stranger()
    const budget = await me.note('Money', 'Budget 2.md')
    const id = await me.note(
      'Work',
      'Plan.md',
      '[x *y*](../Money/Budget%202.md "t") [[Budget 2]] [[Nowhere]] [n](Nowhere.md) [e](https://x.y/Budget%202.md) [p](p.png) [r]\n\n[r]: <../Money/Budget 2.md>',
    )
    const { body: html } = await me.call('GET', `/${id}`, undefined, { Accept: 'text/html' })
    const { body: spelled } = await me.call('POST', '', {
      body: `[[BUDGET 2]] [[note:${budget}]] [[Money/Budget 2]] [[#x]]`,
    })
    const { body: shown } = await me.call('GET', `/${spelled.id}`, undefined, { Accept: 'text/html' })
    const led = [...shown.matchAll(/data-note-id="([^"]*)"/g)].map(([, to]) => to)
    expect(led).toEqual([budget, budget, budget, spelled.id])
    const live = `<a class="wikilink" href="/api/notes/${budget}" data-note-id="${budget}">`
    const titled = live.replace('>', ' title="t">')
    expect(html).toContain(
      `${titled}x <em>y</em></a> ${live}Budget 2</a> <a class="wikilink" data-target="Nowhere">Nowhere</a>`,
    )
    expect(html).toContain(
      '<a class="wikilink" data-target="Nowhere.md">n</a> <a href="https://x.y/Budget%202.md">e</a>',
    )
    expect(html).toContain(`<a href="p.png">p</a> ${live}r</a>`)
  })
})

describe('a path in a destination', () => {
  test.each([
    ['a b.md', 'x%20y.md', 'a%20b.md'],
    ['a b.md', '<x y.md>', 'a b.md'],
    ['a b.md', '<x%20y.md>', 'a%20b.md'],
    ['ü.md', 'x.md', 'ü.md'],
    ['ü b.md', '%C3%A4.md', '%C3%BC%20b.md'],
    ['a(1).md', 'x.md', 'a%281%29.md'],
    ['a(1).md', 'x(2).md', 'a(1).md'],
    ['a)1(.md', 'x(2).md', 'a%291%28.md'],
    ['a(1.md', 'x.md', 'a%281.md'],
    ['100%#?|.md', '<x y.md>', '100%25%23%3F%7C.md'],
    ['a<b>.md', '<x.md>', 'a%3Cb%3E.md'],
  ])('%j in the place of %j is %j', (path, destination, written) => {
    const place = readNotePath(destination)
    if (!place) throw new Error('no path')
    expect(encodeNotePath(path, destination, place)).toBe(written)
    const whole = destination.startsWith('<') ? `<${written}>` : written
    expect(readNotePath(whole)?.path).toBe(path)
    expect(scanMarkdown(`[x](${whole})`).markdownLinks).toHaveLength(1)
  })
})
