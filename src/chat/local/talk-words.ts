/**
 * The words of a conversation that only what was said before explains, as patterns for each language: what "it" and "the
 * second one" are, what can be done with them, and how questions go on. In a sentence `{it}` is what was mentioned, with
 * the space or hyphen before it, and `{text}` is the caller's own text. Each sentence is a whole message.
 */

/** What can be done with a note or a task that was mentioned. */
export type AboutVerb =
  | 'trash'
  | 'move'
  | 'complete'
  | 'reopen'
  | 'rename'
  | 'tag'
  | 'untag'
  | 'append'
  | 'summarize'
  | 'store_cards'
  | 'draft_cards'

/** The words of one language. All are patterns for the flags `iu`. */
export interface TalkWords {
  readonly please: string
  /** Words for what was mentioned last. */
  readonly it: string
  /** Such words that are written at the verb, with the hyphen if it has one; '' for none. */
  readonly attached: string
  /** "the second one": what comes before and after the word for a place in a list, and that word for each place. */
  readonly place: {
    readonly before: string
    readonly after: string
    readonly number: string
    readonly names: readonly string[]
    readonly last: string
  }
  readonly about: Readonly<Record<AboutVerb, readonly string[]>>
  /** "Save that as a note"; `{title}` is the name that it may get. */
  readonly saveAnswer: readonly string[]
  readonly undo: readonly string[]
  /** Between two sentences. */
  readonly and: string
  /** Words that decide, without a code. */
  readonly yesOrNo: string
  /** The beginning of a fragment that goes on from the question before. */
  readonly continues: string
  /** The beginning of a correction, behind a "no". */
  readonly corrects: string
  /** Words before a correction. */
  readonly no: string
  /** The beginning of a question that is whole in itself. */
  readonly asks: string
  /** Words that point at what was said before, and at a person. */
  readonly pointsBack: string
  readonly person: string
}

const ENGLISH: TalkWords = {
  please: 'please',
  it: '(?:it|this|that|them|this one|that one|the one|(?:this|that|the same) (?:note|task|item))',
  attached: '',
  place: {
    before: '(?:the )?',
    after: '(?: (?:one|note|task|item))?',
    number: '(?:number|no\\.?|#) ?',
    names: ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'],
    last: 'last',
  },
  about: {
    trash: ['(?:delete|trash|remove|discard){it}', '(?:move|put){it} (?:to|in|into) the (?:trash|bin)'],
    move: ['(?:move|reschedule|postpone|push|shift|delay|defer|change){it}(?: back)? (?:to|until|till|on|for) {text}'],
    complete: [
      '(?:complete|finish|close|check off|tick off){it}',
      '(?:mark|check|tick){it} (?:off|(?:as )?(?:done|completed?))',
    ],
    reopen: ['re-?open{it}', 'mark{it} (?:as )?(?:not done|undone|open)'],
    rename: ['(?:rename|retitle){it} (?:to|as|into) {text}'],
    tag: ['(?:tag|label){it} (?:with|as) {text}', '(?:add|put) the (?:tag|label) {text} (?:to|on){it}'],
    untag: ['(?:remove|take) the (?:tag|label) {text} (?:from|off){it}'],
    append: ['(?:add|append) {text} to (?:that|this|the|the same) note'],
    summarize: ['(?:summari[sz]e|sum up|recap){it}|sum it up', '(?:give me )?(?:a |the )?(?:short )?summary of{it}'],
    store_cards: [
      '(?:save|store|add|put|keep){it} (?:in|into|to) (?:the |a )?(?:new )?deck {text}',
      '(?:make|create) (?:flash ?-?)?cards (?:from|of|about|out of){it} (?:in|into|for|and \\w+ them (?:in|into|to)) (?:the |a )?(?:new )?deck {text}',
    ],
    draft_cards: [
      '(?:make|create|generate|draft|suggest)(?: me)?(?: some)? (?:flash ?-?)?cards (?:from|of|about|for|out of){it}',
      'turn{it} into (?:flash ?-?)?cards',
    ],
  },
  saveAnswer: [
    '(?:save|keep|store|put) (?:that|this|it|the answer|your answer|that answer) (?:as|in|into) (?:a|a new|the) note(?: (?:called|named|titled) {title})?',
    '(?:make|take) a note of (?:that|this|it)|note (?:that|this|it) down',
  ],
  undo: ['(?:undo|revert|take back)(?: (?:that|it|this|the last (?:one|action|change|thing)))?'],
  and: 'and(?: then)?|then',
  yesOrNo:
    'yes|yes please|yep|yeah|sure|do it|go ahead|confirm|no|nope|no thanks|cancel|cancel (?:it|that)|never ?mind',
  continues: '(?:ok(?:ay)?[, ]+)?and|what about|how about|what of',
  corrects: 'i (?:meant|mean|was (?:asking|talking) about|wanted to know about)',
  no: 'no|nope|sorry|oh|wait|actually',
  asks: 'who|what|when|where|why|how|which|is|are|was|were|do|does|did|has|have|can',
  pointsBack: 'it|its|he|him|his|she|her|hers|they|them|their|there|then|that|this|those|these|that one',
  person: 'he|him|his|she|her|hers|they|them|their',
}

const GERMAN: TalkWords = {
  please: 'bitte',
  it: '(?:es|das|den|die|sie|ihn|dies|diese[ns]?|(?:dieser?|die|der) (?:notiz|aufgabe))',
  attached: '',
  place: {
    before: '(?:de[rn]|die|das) ',
    after: '[ns]?(?: (?:notiz|aufgabe))?',
    number: '(?:die )?nummer ',
    names: ['erste', 'zweite', 'dritte', 'vierte', 'fünfte', 'sechste', 'siebte', 'achte', 'neunte', 'zehnte'],
    last: 'letzte',
  },
  about: {
    trash: ['(?:lösche?|entferne?){it}', '(?:verschiebe?|wirf|leg|lege){it} in den papierkorb', 'wirf{it} weg'],
    move: ['(?:verschiebe?|verlege?|setze?){it} (?:auf|zum|bis|in) (?:den )?{text}'],
    complete: ['(?:erledige|schließe){it}(?: ab)?', 'hake?{it} ab', 'markiere?{it} als (?:erledigt|fertig)'],
    reopen: ['öffne{it} (?:wieder|erneut)', 'markiere?{it} als (?:offen|unerledigt)'],
    rename: ['benenne?{it} (?:in )?{text} um', 'nenne?{it} {text}'],
    tag: ['(?:tagge?|markiere?|versieh){it} mit (?:dem (?:tag|schlagwort|label) )?{text}'],
    untag: ['(?:entferne?|lösche?) (?:das |den )?(?:tag|schlagwort|label) {text} (?:von|davon|bei){it}'],
    append: ['füge? {text} zu dieser notiz hinzu', '(?:schreibe?|notiere?) {text} in (?:diese|die) notiz'],
    summarize: ['fasse?{it} zusammen', '(?:gib mir )?eine (?:kurze )?zusammenfassung davon'],
    store_cards: [
      '(?:speichere?|lege?|füge?){it} (?:in|im|zu|zum) (?:den |dem |das )?(?:neuen )?(?:stapel|deck) {text}',
    ],
    draft_cards: [
      '(?:mache?|erstelle?|erzeuge?)(?: mir)? (?:kartei|lern)karten (?:daraus|davon)',
      '(?:mache?|erstelle?|erzeuge?)(?: mir)? (?:kartei|lern)karten (?:aus|zu){it}',
      '(?:mache?|erstelle?|erzeuge?) daraus (?:kartei|lern)karten',
    ],
  },
  saveAnswer: [
    'speicher[en]? (?:das|dies|es|die antwort) als (?:eine )?(?:neue )?notiz(?: (?:namens|mit dem titel|unter dem titel) {title})?',
    'mache? (?:daraus|davon) eine notiz|notiere? (?:das|dir das)',
  ],
  undo: [
    'mache? (?:das|es|dies|die letzte änderung) (?:wieder )?rückgängig',
    '(?:das )?rückgängig(?: machen)?|nimm (?:das|es) zurück',
  ],
  and: 'und(?: dann)?|dann',
  yesOrNo: 'ja|ja bitte|nein|nein danke|abbrechen|abbruch|mach (?:das|es)|vergiss es|lieber nicht|brich ab',
  continues: 'und was ist mit|was ist mit|wie ist es mit|und',
  corrects: 'ich (?:meine|meinte|wollte (?:sagen|wissen))',
  no: 'nein|nee|doch|sorry|entschuldigung|moment',
  asks: 'wer|wen|wem|was|wann|wo|wohin|warum|wie|welche[rsnm]?|ist|sind|war|hat|haben|kann',
  pointsBack: 'er|sie|ihn|ihm|ihr|ihre[rnms]?|sein|seine[rnms]?|dort|da|davon|dafür',
  person: 'er|sie|ihm|ihr|ihre[rnms]?|sein|seine[rnms]?',
}

const FRENCH: TalkWords = {
  please: "s'il te pla[iî]t|s'il vous pla[iî]t|stp|svp",
  it: '(?:ça|cela|celle-ci|celui-ci|celle-là|celui-là|(?:cette|la) (?:note|tâche))',
  attached: '[- ](?:le|la|les)',
  place: {
    before: '(?:le|la) ',
    after: '(?: (?:note|tâche))?',
    number: '(?:le )?(?:numéro|n°) ?',
    names: [
      'premi(?:er|ère)',
      '(?:deuxième|seconde?)',
      'troisième',
      'quatrième',
      'cinquième',
      'sixième',
      'septième',
      'huitième',
      'neuvième',
      'dixième',
    ],
    last: 'derni(?:er|ère)',
  },
  about: {
    trash: ['(?:supprime|efface|jette){it}', '(?:mets|déplace){it} (?:à|dans) la corbeille'],
    move: ["(?:déplace|reporte|décale|repousse|mets){it} (?:à|au|pour|jusqu'à|jusqu'au) (?:le )?{text}"],
    complete: ['(?:termine|coche|achève|finis){it}', 'marque{it} comme (?:faite?|terminée?)'],
    reopen: ['rouvre{it}', 'marque{it} comme (?:ouverte?|à faire)'],
    rename: ['renomme{it} (?:en )?{text}'],
    tag: ["(?:étiquette|tague|marque){it} (?:avec|comme) (?:l'étiquette )?{text}"],
    untag: ["(?:enlève|retire)(?:-lui)? l'étiquette {text}(?: de{it})?"],
    append: ['ajoute {text} à (?:cette|la) note'],
    summarize: ['résume{it}', '(?:fais|donne)(?:-moi)? un résumé de{it}', 'fais-en un résumé'],
    store_cards: ['(?:enregistre|range|mets|ajoute){it} (?:dans|au|à) (?:le )?(?:paquet|deck) {text}'],
    draft_cards: [
      '(?:fais|crée|génère)-en des (?:cartes|fiches|flashcards)',
      '(?:fais|crée|génère) des (?:cartes|fiches|flashcards) (?:à partir de|de|avec|sur){it}',
    ],
  },
  saveAnswer: [
    '(?:enregistre|sauvegarde|garde)[- ](?:ça|cela|le|la|la réponse|cette réponse) (?:comme|dans|en)(?: une)?(?: nouvelle)? note(?: (?:intitulée|appelée|nommée) {title})?',
    'fais-en une note|prends(?:-en)? note',
  ],
  undo: [
    '(?:annule|défais)[- ](?:ça|cela|le|la|la dernière (?:modification|action)|le dernier changement)',
    'reviens en arrière|défais',
  ],
  and: 'et(?: puis)?|puis',
  yesOrNo: "oui|oui merci|non|non merci|d'accord|vas-y|fais-le|annule|annuler|laisse tomber",
  continues: "et (?:pour|qu'en est-il de)|qu'en est-il de|et",
  corrects: 'je (?:voulais|veux|voulus) (?:dire|parler de|parler du)|je (?:parlais|parle) (?:de|du)|plutôt',
  no: 'non|pardon|désolée?|attends',
  asks: "qui|quoi|que|quand|où|pourquoi|comment|combien|quel(?:le)?s?|est-ce que|qu'est-ce que|est|a",
  pointsBack: 'ils?|elles?|lui|sa|ses|leurs?|ça|cela',
  person: 'ils?|elles?|lui|sa|ses|leurs?',
}

const SPANISH: TalkWords = {
  please: 'por favor',
  it: '(?:eso|esto|es[ae]|est[ae]|ést[ae]|ell[ao]|(?:es[ae]|est[ae]|la) (?:nota|tarea))',
  attached: 'l[oa]s?',
  place: {
    before: '(?:el|la) ',
    after: '(?: (?:nota|tarea))?',
    number: '(?:el )?número ',
    names: [
      'primer[oa]?',
      'segund[oa]',
      'tercer[oa]?',
      'cuart[oa]',
      'quint[oa]',
      'sext[oa]',
      'séptim[oa]',
      'octav[oa]',
      'noven[oa]',
      'décim[oa]',
    ],
    last: 'últim[oa]',
  },
  about: {
    trash: ['(?:b[oó]rra|elim[ií]na|qu[ií]ta){it}', '(?:mu[eé]ve|t[ií]ra|m[eé]te){it} a la papelera'],
    move: ['(?:mu[eé]ve|p[aá]sa|apl[aá]za|posp[oó]n|cambia|cámbia){it} (?:al|a|para|hasta)(?: el)? {text}'],
    complete: ['(?:compl[eé]ta|term[ií]na|t[aá]cha){it}', 'm[aá]rca{it} como (?:hech|completad|terminad)[oa]'],
    reopen: ['re[aá]bre{it}', 'm[aá]rca{it} como (?:pendiente|abiert[oa])'],
    rename: ['ren[oó]mbra{it} (?:a |como |en )?{text}'],
    tag: ['etiqu[eé]ta{it} (?:con|como) {text}'],
    untag: ['(?:quita|quítale) la etiqueta {text}(?: (?:a|de){it})?'],
    append: ['(?:añade|agrega) {text} a (?:esa|esta|la) nota'],
    summarize: ['res[uú]me{it}', '(?:hazme|dame|haz) un resumen de{it}'],
    store_cards: ['(?:gu[aá]rda|p[oó]n|añ[aá]de){it} (?:en|al?) (?:el )?(?:mazo|deck) {text}'],
    draft_cards: ['(?:haz|crea|genera)(?:me)? tarjetas (?:de|con|sobre|a partir de){it}'],
  },
  saveAnswer: [
    'gu[aá]rda(?:l[oa])?(?: (?:eso|esto|la respuesta))? (?:como|en)(?: una)?(?: nueva)? nota(?: (?:llamada|titulada|con el título) {title})?',
    'haz una nota (?:de|con) (?:eso|esto)|anota eso',
  ],
  undo: [
    'desh[aá]z(?:l[oa])?(?: (?:eso|esto|el último cambio|la última acción))?',
    'revi[eé]rte(?:l[oa]| eso)|deshacer',
  ],
  and: 'y(?: luego)?|luego',
  yesOrNo: 's[ií]|s[ií],? por favor|no|no,? gracias|vale|claro|hazlo|adelante|cancela|cancelar|déjalo|olvídalo',
  continues: '¿?y (?:qué hay de|para|con)|¿?qué (?:hay|pasa|tal) (?:de|con)|¿?y',
  corrects: 'quer[ií]a decir|quise decir|me refer[ií]a a|hablaba de',
  no: 'no|perdón|espera',
  asks: '¿?(?:quién|qué|cuándo|dónde|por qué|cómo|cuánt[oa]s?|cuál(?:es)?|es|está|son|hay|tiene)',
  pointsBack: 'sus?|él|eso|allí|ahí',
  person: 'sus?|él',
}

/** The words of all languages. */
export const TALK_WORDS: readonly TalkWords[] = [ENGLISH, GERMAN, FRENCH, SPANISH]

/** Joins the same words of all languages into one pattern without a group of its own. */
export const joinWords = (pick: (words: TalkWords) => string): string =>
  TALK_WORDS.map((words) => `(?:${pick(words)})`).join('|')
