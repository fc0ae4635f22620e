/** Bars for the requests of each hour, each hour in words when it is pointed at, and the same as a table. */

import { byId, element } from './dom.js'

/** @typedef {{ hour: string, used: number, refused: number }} Hour */

const SVG = 'http://www.w3.org/2000/svg'
/** Height of the drawing in its own units; a bar of more than nothing is at least LEAST high. */
const HEIGHT = 100
const LEAST = 2
/** Most parts that the scale is divided into. */
const PARTS = 4
/** Hours before now that have no label, so that "now" has room. */
const ROOM = 12

const count = new Intl.NumberFormat()
const hourName = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' })
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' })

/** What is drawn, oldest first. @type {readonly Hour[]} */
let drawn = []

/** Lets a pointer, a finger or the arrow keys go from hour to hour. */
function wirePicker() {
  const picker = byId('chart-hour', HTMLInputElement)
  const plot = byId('chart-plot', HTMLElement)
  const end = () => document.activeElement !== picker && showSum()
  const point = (/** @type {PointerEvent} */ { clientX }) => {
    const { left, width } = plot.getBoundingClientRect()
    const place = Math.floor((drawn.length * (clientX - left)) / width)
    showHour(Math.max(0, Math.min(drawn.length - 1, place)))
  }
  plot.addEventListener('pointermove', point)
  plot.addEventListener('pointerdown', point)
  plot.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && end()) // after a touch it stays
  picker.addEventListener('input', () => showHour(picker.valueAsNumber))
  picker.addEventListener('focus', () => showHour(picker.valueAsNumber))
  picker.addEventListener('blur', showSum)
}

/** @param {readonly Hour[]} hours oldest first */
export function drawChart(hours) {
  const isFirst = drawn.length === 0
  if (isFirst) wirePicker()
  drawn = hours
  const { step, top } = scaleOf(Math.max(0, ...hours.map(({ used, refused }) => used + refused)))
  const chart = byId('chart', SVGSVGElement)
  chart.setAttribute('viewBox', `0 0 ${Math.max(1, hours.length)} ${HEIGHT}`)
  byId('chart-bars', SVGGElement).replaceChildren(...hours.flatMap((hour, place) => bars(hour, place, top)))
  const steps = Array.from({ length: top / step + 1 }, (_, number) => number * step)
  byId('chart-scale', HTMLElement).replaceChildren(...steps.map((value) => element('span', {}, count.format(value))))
  byId('chart-lines', SVGGElement).replaceChildren(
    ...steps.slice(1).map((value) => draw('path', { d: `M0 ${HEIGHT - (HEIGHT * value) / top}H${hours.length}` })),
  )
  byId('chart-hours', HTMLElement).replaceChildren(...hourLabels(hours))
  const picker = byId('chart-hour', HTMLInputElement)
  picker.max = String(hours.length - 1)
  if (isFirst) picker.value = picker.max
  if (byId('chart-mark', SVGRectElement).getAttribute('width') === '1') showHour(picker.valueAsNumber)
  else showSum()
  const words = sums(hours).map((part) => (typeof part === 'string' ? part : ''))
  byId('chart-words', SVGTitleElement).textContent = `Requests in the last 48 hours: ${words.join('')}`
  const busy = hours.filter(({ used, refused }) => used + refused > 0).reverse()
  byId('chart-rows', HTMLElement).replaceChildren(...busy.map(row))
  byId('chart-details', HTMLElement).hidden = busy.length === 0
}

/**
 * A scale from nought in at most four equal parts, each 1, 2 or 5 times a power of ten, that reaches a value.
 * @param {number} value a whole number of requests
 */
export function scaleOf(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value / PARTS)))
  const step = power * ([1, 2, 5].find((times) => times * power * PARTS >= value) ?? 10)
  return { step, top: step * Math.max(1, Math.ceil(value / step)) }
}

/**
 * The hours of the reader's day that are named below the bars: midnight by its weekday, noon by the clock.
 * @param {readonly Hour[]} hours
 */
function hourLabels(hours) {
  const labels = hours.flatMap(({ hour }, place) => {
    const start = new Date(hour)
    if (start.getHours() % 12 !== 0 || place > hours.length - ROOM) return []
    const isNoon = start.getHours() === 12
    const label = element('span', isNoon ? { class: 'noon' } : {}, (isNoon ? clock : weekday).format(start))
    label.style.insetInlineStart = `${(100 * place) / hours.length}%`
    return [label]
  })
  return [...labels, element('span', {}, 'now')]
}

/** @param {number} place from the left */
function showHour(place) {
  const hour = drawn[place]
  if (!hour) return
  const end = new Date(new Date(hour.hour).getTime() + 3_600_000)
  const words = `${hourName.format(new Date(hour.hour))}–${clock.format(end)}: ${served(hour.used, hour.refused)}`
  const picker = byId('chart-hour', HTMLInputElement)
  picker.value = String(place)
  picker.ariaValueText = words
  byId('chart-sum', HTMLElement).textContent = words
  mark(place, 1)
}

function showSum() {
  byId('chart-sum', HTMLElement).replaceChildren(...sums(drawn))
  mark(0, 0)
}

/**
 * @param {number} place from the left
 * @param {0 | 1} width 0: no hour is marked
 */
function mark(place, width) {
  const marked = byId('chart-mark', SVGRectElement)
  marked.setAttribute('x', String(place))
  marked.setAttribute('width', String(width))
}

/**
 * @param {Hour} hour
 * @param {number} place from the left
 * @param {number} top number that reaches the upper edge
 */
function bars({ used, refused }, place, top) {
  const height = (/** @type {number} */ value) => (value > 0 ? Math.max(LEAST, (HEIGHT * value) / top) : 0)
  const low = height(used)
  const bar = (/** @type {number} */ y, /** @type {number} */ height, /** @type {string} */ kind) =>
    height > 0 ? [draw('rect', { x: place + 0.12, y, width: 0.76, height, class: kind })] : []
  return [
    ...bar(HEIGHT - low, low, 'served'),
    ...bar(HEIGHT - low - height(refused), height(refused), 'refused'),
    ...bar(HEIGHT - 1, used + refused > 0 ? 0 : 1, 'none'),
  ]
}

/**
 * @param {'rect' | 'path'} shape
 * @param {Record<string, string | number>} attributes
 */
function draw(shape, attributes) {
  const made = document.createElementNS(SVG, shape)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  return made
}

/**
 * @param {number} used
 * @param {number} refused
 */
function served(used, refused) {
  return refused > 0 ? `${count.format(used)} served, ${count.format(refused)} refused` : `${count.format(used)} served`
}

/**
 * The sums; with the colour of the bars before each, where there are two to tell apart.
 * @param {readonly Hour[]} hours
 */
function sums(hours) {
  const used = hours.reduce((sum, hour) => sum + hour.used, 0)
  const refused = hours.reduce((sum, hour) => sum + hour.refused, 0)
  if (refused === 0) return [used === 0 ? 'none yet' : served(used, 0)]
  const swatch = (/** @type {string} */ kind) => element('span', { class: `swatch ${kind}` })
  return [swatch('served'), `${served(used, 0)}, `, swatch('refused'), `${count.format(refused)} refused`]
}

/** @param {Hour} hour */
function row({ hour, used, refused }) {
  const name = element('th', { scope: 'row' }, hourName.format(new Date(hour)))
  return element('tr', {}, name, element('td', {}, count.format(used)), element('td', {}, count.format(refused)))
}
