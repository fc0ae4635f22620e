import { reduceDeclarations } from './styles'

/** `{{c1::image-occlusion:rect:left=.1:top=.2:width=.3:height=.4:oi=1}}`, in fractions of the picture. */

const MASK = /\{\{c([\d,]{1,200})::image-occlusion:([^{}]{1,20000})\}\}(?:<br\s*\/?>)?/g
const MAX_MASKS = 500
const MAX_CORNERS = 500

/** The colours that Anki gives them. */
const ASKED = '#ff8e8e'
const OTHER = '#ffeba2'
const EDGE = '#212121'

interface Mask {
  readonly numbers: readonly number[]
  readonly shape: string
  readonly members: ReadonlyMap<string, string>
}

export function readMasks(html: string): Mask[] {
  const found = html.matchAll(MASK).take(MAX_MASKS)
  return [...found].map(([, numbers = '', text = '']) => {
    const [shape = '', ...members] = text.split(':')
    const pairs = members.map((member): [string, string] => {
      const [name = '', ...value] = member.split('=')
      return [name, value.join('=')]
    })
    return { numbers: numbers.split(',').map(Number), shape, members: new Map(pairs) }
  })
}

export function removeMasks(html: string): string {
  return html.replace(MASK, '')
}

const PLACE = reduceDeclarations('position:absolute;left:0;top:0;width:100%;height:100%')
const LINE = `stroke="${EDGE}" stroke-width="1" vector-effect="non-scaling-stroke"`

/** The prompt covers what is asked, the answer outlines it. Others are covered on both sides if they say so (oi=1). */
export function drawMasks(masks: readonly Mask[], number: number, side: 'prompt' | 'answer'): string {
  const shapes = masks.map((mask) => {
    if (mask.shape === 'text') return ''
    const isAsked = mask.numbers.includes(number)
    if (isAsked) {
      const fill = side === 'prompt' ? ASKED : 'none'
      return draw(mask, `class="${side === 'prompt' ? 'occlusion-asked' : 'occlusion-shown'}" fill="${fill}" ${LINE}`)
    }
    return mask.members.get('oi') === '1' ? draw(mask, `class="occlusion-other" fill="${OTHER}" ${LINE}`) : ''
  })
  const labels = masks.map((mask) => (mask.shape === 'text' ? writeLabel(mask) : ''))
  return `<svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true" style="${PLACE}">${shapes.join('')}</svg>${labels.join('')}`
}

/** Draws one shape; nothing if one of its numbers is missing. */
function draw({ shape, members }: Mask, attributes: string): string {
  const read = (...names: string[]) => names.map((name) => readFraction(members.get(name) ?? ''))
  if (shape === 'polygon') {
    const corners = (members.get('points') ?? '').trim().split(/\s+/, MAX_CORNERS)
    const points = corners.map((corner) => corner.split(',').map(readFraction))
    const isWhole = points.length > 2 && points.every((point) => point.length === 2 && !point.includes(null))
    return isWhole ? `<polygon points="${points.map((point) => point.join()).join(' ')}" ${attributes}/>` : ''
  }
  if (shape === 'ellipse') {
    const [left, top, rx, ry] = read('left', 'top', 'rx', 'ry')
    if (left == null || top == null || rx == null || ry == null) return ''
    return `<ellipse cx="${round(left + rx)}" cy="${round(top + ry)}" rx="${rx}" ry="${ry}" ${attributes}/>`
  }
  const [x, y, width, height] = read('left', 'top', 'width', 'height')
  if (shape !== 'rect' || x == null || y == null || width == null || height == null) return ''
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" ${attributes}/>`
}

/** A label on the picture, which is no mask: the one text that is shown, escaped. */
function writeLabel({ members }: Mask): string {
  const [left, top] = [readFraction(members.get('left') ?? ''), readFraction(members.get('top') ?? '')]
  if (left === null || top === null) return ''
  const style = `position:absolute;left:${percent(left)};top:${percent(top)};line-height:1`
  return `<span class="occlusion-label" style="${style}">${Bun.escapeHTML(members.get('text') ?? '')}</span>`
}

/** Reads a fraction of the picture, -1 to 2: masks may stand out a little. */
function readFraction(text: string): number | null {
  if (!/^-?(?:\d+\.?\d*|\.\d+)$/.test(text.trim())) return null
  const value = Number(text)
  return value >= -1 && value <= 2 ? round(value) : null
}

function round(value: number): number {
  return Math.round(value * 1e5) / 1e5
}

function percent(fraction: number): string {
  return `${round(fraction * 100)}%`
}
