/** Bars for the requests of each hour, and the same as words and as a table. */

import { byId, element } from './dom.js'

/** @typedef {{ hour: string, used: number, refused: number }} Hour */

const SVG = 'http://www.w3.org/2000/svg'
/** Height of the drawing in its own units; a bar of more than nothing is at least LEAST high. */
const HEIGHT = 100
const LEAST = 2

const count = new Intl.NumberFormat()
const hourName = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' })

/** @param {readonly Hour[]} hours oldest first */
export function drawChart(hours) {
  const top = niceTop(Math.max(0, ...hours.map(({ used, refused }) => used + refused)))
  const chart = byId('chart', SVGSVGElement)
  chart.setAttribute('viewBox', `0 0 ${Math.max(1, hours.length)} ${HEIGHT}`)
  byId('chart-bars', SVGGElement).replaceChildren(...hours.flatMap((hour, place) => bars(hour, place, top)))
  const sum = byId('chart-sum', HTMLElement)
  sum.replaceChildren(...legend(hours))
  byId('chart-words', SVGTitleElement).textContent = `Requests in the last 48 hours: ${sum.textContent}`
  byId('chart-top', HTMLElement).textContent = top > 0 ? count.format(top) : ''
  byId('chart-from', HTMLElement).textContent = hours[0] ? hourName.format(new Date(hours[0].hour)) : ''
  const busy = hours.filter(({ used, refused }) => used + refused > 0).reverse()
  byId('chart-rows', HTMLElement).replaceChildren(...busy.map(row))
  byId('chart-details', HTMLElement).hidden = busy.length === 0
}

/**
 * The next round number that is not below the value, so that the highest bar takes at least two thirds of the height.
 * @param {number} value
 */
function niceTop(value) {
  if (value <= 0) return 0
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((candidate) => candidate >= value) ?? value
}

/**
 * @param {Hour} hour
 * @param {number} place from the left
 * @param {number} top number that reaches the upper edge
 */
function bars({ hour, used, refused }, place, top) {
  const height = (/** @type {number} */ value) => (value > 0 ? Math.max(LEAST, (HEIGHT * value) / top) : 0)
  const low = height(used)
  const parts = [
    bar(place, HEIGHT - low, low, 'served'),
    bar(place, HEIGHT - low - height(refused), height(refused), 'refused'),
    bar(place, HEIGHT - 1, used + refused > 0 ? 0 : 1, 'none'),
  ].filter((part) => part.getAttribute('height') !== '0')
  const title = document.createElementNS(SVG, 'title')
  title.textContent = `${hourName.format(new Date(hour))}: ${served(used, refused)}`
  parts[0]?.append(title)
  return parts
}

/**
 * @param {number} place
 * @param {number} y
 * @param {number} height
 * @param {'served' | 'refused' | 'none'} kind
 */
function bar(place, y, height, kind) {
  const rect = document.createElementNS(SVG, 'rect')
  const attributes = { x: place + 0.12, y, width: 0.76, height, class: kind }
  for (const [name, value] of Object.entries(attributes)) rect.setAttribute(name, String(value))
  return rect
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
function legend(hours) {
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
