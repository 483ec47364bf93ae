export {default as SpectralCore} from '@stoplight/spectral-core';
export * from '@stoplight/spectral-core';
export {default as SpectralRulesets} from '@stoplight/spectral-rulesets';
