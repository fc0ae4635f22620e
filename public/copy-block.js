/** A text to copy, with a key in it: shown without the middle of the key, copied whole. */

import { byId, copy, flash, say, select } from './dom.js'

const BY_HAND =
  'This browser does not let the page copy. The text is selected with all that is in it: copy it yourself.'

/** The elements `NAME`, `NAME-note` and `copy-NAME` of the page. */
export class CopyBlock {
  #place
  #note
  #whole = ''

  /** @param {string} name */
  constructor(name) {
    this.#place = byId(name, HTMLElement)
    this.#note = byId(`${name}-note`, HTMLElement)
    const pressed = byId(`copy-${name}`, HTMLButtonElement)
    pressed.addEventListener('click', () => this.#copy(pressed))
  }

  /**
   * @param {string} masked the text as it is shown
   * @param {string} whole the text as it is copied
   */
  show(masked, whole) {
    this.#whole = whole
    this.#place.textContent = masked
    this.#note.hidden = masked === whole
    this.#note.textContent = 'Shown without the middle of your key. Copying takes the whole key.'
  }

  /** @param {HTMLButtonElement} pressed */
  async #copy(pressed) {
    const whole = this.#whole
    if (await copy(whole)) {
      flash(pressed, 'Copied')
      say('Copied.')
      return
    }
    this.#place.textContent = whole
    select(this.#place)
    this.#note.hidden = false
    this.#note.textContent = BY_HAND
    say(BY_HAND)
  }
}
