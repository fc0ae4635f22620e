/** The page of app-markdown.browser.ts: shows any body that the test hands over, and says what it was asked to do. */
import { render } from 'preact'
import { Markdown, type MarkdownActions } from '../../app/markdown/markdown'

declare global {
  interface Window {
    /** Shows a body, and returns the milliseconds until its elements are there. */
    showBody: (body: string) => number
    /** Parses the HTML of what is shown, and returns the milliseconds: the least that a browser needs for it. */
    showAgain: () => number
    /** What the actions were asked to do. */
    asked: string[]
  }
}

async function drawPicture(): Promise<Blob> {
  const canvas = new OffscreenCanvas(320, 120)
  const context = canvas.getContext('2d')
  if (context) context.fillStyle = '#0f6b50'
  context?.fillRect(0, 0, 320, 120)
  return canvas.convertToBlob()
}

const actions: MarkdownActions = {
  toggle: (offset, checked) => window.asked.push(`toggle ${offset} ${checked}`),
  create: (title) => window.asked.push(`create ${title}`),
  resolve: (target, heading) => (target.startsWith('Known') ? `#/notes/${target}/${heading ?? ''}` : null),
  async loadFile(target) {
    window.asked.push(`load ${target}`)
    if (target !== 'leaf.png' && target !== 'plan.pdf') throw new Error('There is no such file')
    return URL.createObjectURL(await drawPicture())
  },
  tagAddress: (tag) => `#/tags/${encodeURIComponent(tag)}`,
}

const root = document.querySelector('main') ?? document.body
window.asked = []
window.showBody = (body) => {
  const started = performance.now()
  render(<Markdown body={body} actions={actions} />, root)
  return performance.now() - started
}
window.showAgain = () => {
  const html = root.innerHTML
  const started = performance.now()
  document.createElement('main').innerHTML = html
  return performance.now() - started
}
