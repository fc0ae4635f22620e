/** Run by path: bun test ./test/browser/study.browser.ts. A bare page that shows the queue from render=html alone. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { packageOf, type Source } from '../flashcards/anki/build'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { makeSound } from './app-cards'
import { openBrowser, picture } from './support'

const KEY = makeKey(1)
const API = 'api/flashcards'

/** A picture, drawn by the page. */
async function makePicture(page: Page): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(400, 240)
    const context = canvas.getContext('2d')
    for (const [place, colour] of ['crimson', 'seagreen', 'royalblue', 'gold'].entries()) {
      if (context) context.fillStyle = colour
      context?.fillRect((place % 2) * 200, Math.floor(place / 2) * 120, 200, 120)
    }
    return [...(await (await canvas.convertToBlob()).bytes())]
  })
  return new Uint8Array(bytes)
}

const FIELDS = ['Occlusion', 'Image', 'Header', 'Back Extra', 'Comments']
const OCCLUSION_QUESTION =
  '{{#Header}}<div>{{Header}}</div>{{/Header}}<div style="display: none">{{cloze:Occlusion}}</div><div id="err"></div><div id="image-occlusion-container">{{Image}}<canvas id="image-occlusion-canvas"></canvas></div><script>anki.imageOcclusion.setup()</script>'
const VERBS_CSS =
  '@import url("//evil.example/x.css"); .card { font-family: georgia, serif; font-size: 22px; text-align: left; color: #234; background: #eef4ff url(//evil.example/bg.png); padding: 8px } .cloze { font-weight: bold; color: rgb(0, 90, 200) } #answer { border: 1px dashed gray } body { position: fixed; margin: 0 } .box { position: absolute; left: -500px; top: -500px; width: 5000px; height: 5000px }'
const NOTES: Source = {
  decks: [{ id: 100, name: 'Anatomy' }],
  notetypes: [
    {
      ...{ id: 30, cloze: true, occlusion: true, fields: FIELDS },
      templates: [
        [OCCLUSION_QUESTION, `${OCCLUSION_QUESTION}<div><button id="toggle" onclick="x()">Toggle</button></div>`],
      ],
    },
    {
      ...{ id: 31, cloze: true, fields: ['Text', 'Extra'], css: VERBS_CSS },
      templates: [['{{cloze:Text}}', '{{cloze:Text}}<hr id=answer>{{Extra}}']],
    },
    {
      ...{ id: 32, fields: ['Word', 'Reading', 'Meaning'], css: VERBS_CSS },
      templates: [
        [
          '{{furigana:Reading}} <a href="javascript:alert(1)" onclick="alert(2)">{{Word}}</a>',
          '{{FrontSide}}<hr id=answer>{{Meaning}}<div class="box" onmouseover="alert(3)"></div><script>alert(4)</script><img src=x onerror=alert(5)>',
        ],
      ],
    },
  ],
  notes: [
    {
      ...{ id: 1, mid: 30, guid: 'io' },
      fields: [
        '{{c1::image-occlusion:rect:left=.1:top=.1:width=.3:height=.3:oi=1}}<br>{{c2::image-occlusion:ellipse:left=.55:top=.55:rx=.2:ry=.2:oi=1}}<br>',
        '<img src="map.png">',
        'Which quarter is it?',
        '',
        '',
      ],
    },
    {
      ...{ id: 2, mid: 31, guid: 'cloze' },
      fields: [
        'Energy is {{c1::\\(E = mc^2\\)}}, said {{c2::Einstein}} in [$]10^3[/$] words',
        'Sound: [sound:beep.wav]',
      ],
    },
    { id: 3, mid: 32, guid: 'ruby', fields: ['shown', 'kotoba[word]', 'Japanese <b>language</b>'] },
  ],
  cards: [
    { id: 11, nid: 1, did: 100 },
    { id: 12, nid: 1, did: 100, ord: 1 },
    { id: 13, nid: 2, did: 100 },
    { id: 14, nid: 2, did: 100, ord: 1 },
    { id: 15, nid: 3, did: 100 },
  ],
  media: { 0: 'map.png' },
}

let browser: Browser
let world: Awaited<ReturnType<typeof makeWorld>>
let url: string
let page: Page
let faults: string[]
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

async function send(method: string, path: string, body: BodyInit, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}${API}${path}`, { method, body, headers: { 'X-API-Key': KEY, ...headers } })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return response.json()
}
const post = (path: string, body: object) =>
  send('POST', path, JSON.stringify(body), { 'Content-Type': 'application/json' })

/** The page: it asks for the queue once, and sets innerHTML. */
const BARE = `<!doctype html><html lang="en"><title>Study</title><style>body { font-family: sans-serif; margin: 16px } article { display: grid; grid-template-columns: 1fr 1fr; gap: 16px; margin-bottom: 16px; border: 1px solid #ccc }</style><h1>Queue</h1><main></main>`

beforeEach(async () => {
  world = await makeWorld({ start: Date.now(), settings: { ...MANY_CALLERS } })
  url = world.listen()
  const { id: deck_id } = await post('/decks', { name: 'Facts' })
  const context = await browser.newContext({ viewport: { width: 1000, height: 900 } })
  page = await context.newPage()
  await send('PUT', '/media/map.png', await makePicture(page))
  await send('PUT', '/media/beep.wav', new Uint8Array(makeSound()))
  await post('/facts', {
    ...{ deck_id, type: 'basic', front: '## A picture\n\n![map](media:map.png)\n\n*and* `code`' },
    back: 'Quadratic: $$x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$$ and \\(\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}\\), a missing ![file](media:gone.png), \\(\\broken{\\)',
  })
  await post('/facts', {
    deck_id,
    type: 'cloze',
    text: 'The capital of **Portugal** is {{c1::Lisbon::city}}, not {{c2::Porto}}.',
  })
  await send('POST', '/import?format=apkg', new Uint8Array(packageOf('latest', NOTES)))
  faults = []
  page.on('console', (message) => faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('dialog', (dialog) => {
    faults.push(`dialog ${dialog.message()}`)
    return dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) faults.push(`request to ${request.url()}`)
  })
  await page.route(`${url}bare`, (route) => route.fulfill({ contentType: 'text/html', body: BARE }))
  await page.goto(`${url}bare`)
  await page.evaluate(
    async ([api, key]) => {
      const response = await fetch(`/${api}/queue?render=html&limit=50`, { headers: { 'X-API-Key': key } })
      const { items } = (await response.json()) as { items: { card: { prompt_html: string; answer_html: string } }[] }
      const main = document.querySelector('main') as HTMLElement
      for (const { card } of items) {
        const article = main.appendChild(document.createElement('article'))
        for (const html of [card.prompt_html, card.answer_html])
          article.appendChild(document.createElement('section')).innerHTML = html
      }
      await Promise.all([...document.images].map((image) => image.decode().catch(() => {})))
    },
    [API, KEY] as const,
  )
})
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
  await world.close()
})

describe('a page that sets innerHTML alone', () => {
  test('shows pictures, maths, clozes and masks, which cover their places at any width, and runs nothing', async () => {
    await picture(page, 'study')
    const seen = await page.evaluate(() => {
      const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)]
      const boxes = all('math').map((math) => math.getBoundingClientRect())
      return {
        cards: all('article').length,
        pictures: [...document.images].map(({ naturalWidth, src }) => [
          naturalWidth,
          new URL(src).pathname.replace(/[\w-]{70}$/, ''),
        ]),
        maths: boxes.map(({ width, height }) => width > 5 && height > 5),
        clozes: all('.cloze').map(({ textContent }) => textContent),
        audio: all('audio').map((audio) => audio.getBoundingClientRect().width > 50),
        missing: all('.missing-media').map(({ textContent }) => textContent),
        ids: all('main [id], main [name]').length,
        hidden: all('article section:first-child').every(({ textContent }) => !/Lisbon|mc/.test(textContent ?? '')),
        broken: document.body.textContent?.includes('\\(\\broken{\\)'),
        buttons: all('main button, main canvas, main script').length,
      }
    })
    expect(seen).toMatchObject({ cards: 5, clozes: ['[city]', 'Lisbon', '[...]', expect.stringMatching('mc')] })
    expect(seen).toMatchObject({
      audio: [true],
      missing: ['gone.png', 'x'],
      broken: true,
      hidden: true,
      ids: 0,
      buttons: 0,
    })
    expect(seen.pictures).toEqual(Array(4).fill([400, '/api/flashcards/media/']))
    expect(seen.maths).toEqual(Array(5).fill(true))

    for (const width of [1000, 500]) {
      await page.setViewportSize({ width, height: 900 })
      const seen = await page.evaluate(() => {
        const at = (image: Element, x: number, y: number) => {
          image.scrollIntoView({ block: 'center' })
          const { left, top, width, height } = image.getBoundingClientRect()
          const found = document.elementFromPoint(left + x * width, top + y * height)
          return found?.getAttribute('class') ?? found?.tagName
        }
        const places = [
          [0.25, 0.25],
          [0.05, 0.05],
          [0.75, 0.75],
          [0.75, 0.25],
        ] as const
        const covered = [...document.querySelectorAll('.occlusion img')].map((image) =>
          places.map(([x, y]) => at(image, x, y)),
        )
        scrollTo(0, 0)
        const wide = [...document.querySelectorAll('section')].filter(
          (section) => section.scrollWidth > section.clientWidth + 1,
        )
        return { covered, corner: document.elementFromPoint(4, 4)?.tagName, wide: wide.length }
      })
      expect(seen).toEqual({
        covered: [
          ['occlusion-asked', 'svg', 'occlusion-other', 'svg'],
          // What is asked is outlined, so that the picture is seen.
          ['svg', 'svg', 'occlusion-other', 'svg'],
        ],
        corner: 'HTML',
        wide: 0,
      })
    }
    expect(faults).toEqual([])
  })
})
