//! Layers: gradients against central differences in double precision, forward passes against plain loops, errors.

use super::model::{Model, indices, near};
use super::random::Random;
use super::session;
use pointsman::Session;
use pointsman_numerics::layers::{
    Adam, Backward, Conv1d, Conv2d, FractionalDerivative, FractionalIntegral, Layer, Linear, Sgd, mean_squared_error,
};
use pointsman_numerics::{Array, ConvolveMode, Error};

const MODES: [ConvolveMode; 3] = [ConvolveMode::Full, ConvolveMode::Same, ConvolveMode::Valid];

/// Σ output · weights, for this input and these parameters.
fn loss(layer: &mut impl Layer<f64>, input: &Model<f64>, parameters: &[Model<f64>], weights: &Model<f64>) -> f64 {
    let s = session_of(layer);
    layer.set_parameters(parameters.iter().map(|p| p.array(&s)).collect()).unwrap();
    let (output, _) = layer.forward(&input.array(&s)).unwrap();
    (output * weights.array(&s)).unwrap().sum().unwrap()
}

fn session_of(layer: &impl Layer<f64>) -> Session {
    layer.parameters()[0].session().clone()
}

fn model_of(array: &Array<f64>) -> Model<f64> {
    Model { shape: array.shape().to_vec(), values: array.to_vec().unwrap() }
}

/// Compares all gradients of a layer with central differences, extrapolated to order four.
#[track_caller]
fn check_gradients(layer: &mut impl Layer<f64>, input: &Model<f64>, random: &mut Random) {
    let s = session_of(layer);
    let (output, saved) = layer.forward(&input.array(&s)).unwrap();
    let weights = random.model(output.shape());
    let parameters: Vec<Model<f64>> = layer.parameters().iter().map(model_of).collect();
    // Another call and other parameters in between must not matter.
    let other = parameters.iter().map(|p| p.map(|x| 1.0 + x).array(&s)).collect();
    layer.set_parameters(other).unwrap();
    layer.forward(&input.map(|x| 7.0 - x).array(&s)).unwrap();
    let gradients = saved.backward(&weights.array(&s)).unwrap();
    assert_eq!(gradients.parameters.len(), parameters.len());

    let mut difference = |which: Option<usize>, place: usize, distance: f64| {
        let (mut input, mut parameters) = (input.clone(), parameters.clone());
        match which {
            None => input.values[place] += distance,
            Some(parameter) => parameters[parameter].values[place] += distance,
        }
        loss(layer, &input, &parameters, &weights)
    };
    let of = std::iter::once((None, &gradients.input, input.shape.clone()));
    let arrays = gradients.parameters.iter().zip(&parameters).enumerate();
    for (which, gradient, shape) in of.chain(arrays.map(|(i, (g, p))| (Some(i), g, p.shape.clone()))) {
        assert_eq!(gradient.shape(), shape);
        let found = gradient.to_vec().unwrap();
        let scale = found.iter().fold(1e-3f64, |scale, x| scale.max(x.abs()));
        for _ in 0..found.len().min(12) {
            let place = random.below(found.len());
            let mut slope = |h: f64| (difference(which, place, h) - difference(which, place, -h)) / (2.0 * h);
            let expected = (4.0 * slope(1e-3) - slope(2e-3)) / 3.0;
            let error = (found[place] - expected).abs();
            assert!(error <= 1e-6 * scale, "{which:?} at {place} of {shape:?}: {}, not {expected}", found[place]);
        }
    }
}

#[test]
fn gradients_of_linear_layers_are_those_of_differences() {
    let (s, mut random) = (session(), Random::new());
    for (shape, outputs) in [(&[3][..], 2), (&[1, 1], 1), (&[5, 4], 7), (&[2, 3, 6], 4), (&[7, 65], 64)] {
        let inputs = shape[shape.len() - 1];
        let weights = random.model(&[outputs, inputs]).array(&s);
        let mut layer = Linear::new(weights, random.model(&[outputs]).array(&s)).unwrap();
        let input = random.model(shape);
        check_gradients(&mut layer, &input, &mut random);
    }
}

/// The correlation, place by place: the input's last axes are channels, height and width.
fn correlation(x: &Model<f64>, w: &Model<f64>, bias: &Model<f64>, mode: ConvolveMode) -> Model<f64> {
    let [outputs, channels, p, q] = [0, 1, 2, 3].map(|axis| w.shape[axis]);
    let [batch, h, width] = [x.shape[0], x.shape[2], x.shape[3]];
    let around = |size: usize| match mode {
        ConvolveMode::Full => (size - 1, size - 1),
        ConvolveMode::Same => ((size - 1).div_ceil(2), (size - 1) / 2),
        ConvolveMode::Valid => (0, 0),
    };
    let ((up, down), (left, right)) = (around(p), around(q));
    Model::new(&[batch, outputs, h + up + down + 1 - p, width + left + right + 1 - q], |index| {
        let mut sum = bias.at(&[index[1]]);
        for k in indices(&[channels, p, q]) {
            let (i, j) = ((index[2] + k[1]).wrapping_sub(up), (index[3] + k[2]).wrapping_sub(left));
            if i < h && j < width {
                sum += w.at(&[index[1], k[0], k[1], k[2]]) * x.at(&[index[0], k[0], i, j]);
            }
        }
        sum
    })
}

#[test]
fn convolution_layers_are_plain_loops_and_so_are_their_gradients() {
    let (s, mut random) = (session(), Random::new());
    for (x, w) in [
        ([1, 1, 1, 1], [1, 1, 1, 1]),
        ([2, 3, 5, 6], [4, 3, 2, 3]),
        ([3, 2, 7, 4], [1, 2, 4, 1]),
        ([1, 1, 8, 9], [2, 1, 3, 3]),
        ([4, 5, 6, 6], [3, 5, 5, 2]),
    ] {
        for mode in MODES {
            let (input, weights, bias) = (random.model(&x), random.model(&w), random.model(&w[..1]));
            let mut layer = Conv2d::new(weights.array(&s), bias.array(&s), mode).unwrap();
            let (output, _) = layer.forward(&input.array(&s)).unwrap();
            near(&output, &correlation(&input, &weights, &bias, mode), 1e-12);
            check_gradients(&mut layer, &input, &mut random);
        }
    }
}

#[test]
fn layers_of_lines_are_layers_of_images_of_one_row() {
    let (s, mut random) = (session(), Random::new());
    for (x, w) in [([1, 1, 1], [1, 1, 1]), ([2, 3, 8], [4, 3, 5]), ([3, 1, 65], [2, 1, 4]), ([1, 2, 300], [2, 2, 129])]
    {
        for mode in MODES {
            let (input, weights, bias) = (random.model(&x), random.model(&w), random.model(&w[..1]));
            let mut layer = Conv1d::new(weights.array(&s), bias.array(&s), mode).unwrap();
            let (output, _) = layer.forward(&input.array(&s)).unwrap();
            let image = |model: &Model<f64>, [a, b, c]: [usize; 3]| Model { shape: vec![a, b, 1, c], ..model.clone() };
            let mut expected = correlation(&image(&input, x), &image(&weights, w), &bias, mode);
            expected.shape.remove(2);
            near(&output, &expected, 1e-11);
            check_gradients(&mut layer, &input, &mut random);
        }
    }
}

#[test]
fn gradients_of_orders_are_those_of_differences() {
    let (s, mut random) = (session(), Random::new());
    for shape in [&[1][..], &[2], &[7], &[64], &[3, 65], &[2, 2, 1001]] {
        for (order, step) in [(0.37, 0.1), (0.5, 1.0), (1.0, 0.5), (1.8, 2.0), (0.01, 1e-3)] {
            let input = random.model(shape);
            let mut derivative = FractionalDerivative::new(&s, order, step).unwrap();
            check_gradients(&mut derivative, &input, &mut random);
            let mut integral = FractionalIntegral::new(&s, order, step).unwrap();
            check_gradients(&mut integral, &input, &mut random);
        }
    }
}

#[test]
fn fractional_layers_are_sums_over_the_past() {
    let (s, mut random) = (session(), Random::new());
    for (points, order, step) in [(1, 0.3, 0.5), (7, 0.7, 0.1), (63, 1.3, 1.0), (64, 0.5, 2.0), (4097, 0.37, 0.01)] {
        let input = random.model(&[2, points]);
        for sign in [1.0, -1.0] {
            let mut weights = vec![1.0];
            for k in 1..points {
                weights.push(weights[k - 1] * (1.0 - (sign * order + 1.0) / k as f64));
            }
            let scale = f64::powf(step, -sign * order);
            let expected = Model::new(&[2, points], |index| {
                let (row, n) = (index[0], index[1]);
                scale * (0..=n).map(|k| weights[k] * input.at(&[row, n - k])).sum::<f64>()
            });
            let input = input.array(&s);
            let output = if sign > 0.0 {
                FractionalDerivative::new(&s, order, step).unwrap().forward(&input).unwrap().0
            } else {
                FractionalIntegral::new(&s, order, step).unwrap().forward(&input).unwrap().0
            };
            let largest = expected.values.iter().fold(1.0f64, |largest, x| largest.max(x.abs()));
            near(&output, &expected, 1e-12 * largest);
        }
        // The integral undoes the derivative.
        let derivative = FractionalDerivative::new(&s, order, step).unwrap().forward(&input.array(&s)).unwrap().0;
        let back = FractionalIntegral::new(&s, order, step).unwrap().forward(&derivative).unwrap().0;
        near(&back, &input, 1e-9);
    }
}

#[test]
fn single_precision_layers_follow_double_precision() {
    let (s, mut random) = (session(), Random::new());
    let input = random.model(&[2, 3, 65]);
    let (weights, bias) = (random.model(&[4, 3, 5]), random.model(&[4]));
    let single = |model: &Model<f64>| model.map(|x| x as f32).array(&s);
    let layer = Conv1d::new(single(&weights), single(&bias), ConvolveMode::Same).unwrap();
    let (output, saved) = layer.forward(&single(&input)).unwrap();
    let double = Conv1d::new(weights.array(&s), bias.array(&s), ConvolveMode::Same).unwrap();
    let (expected, expected_saved) = double.forward(&input.array(&s)).unwrap();
    let close = |a: &Array<f32>, b: &Array<f64>| {
        let far = a.map(|x| x.cast::<f64>()).unwrap().zip(b, |a, b| (a - b).abs()).unwrap().max().unwrap();
        assert!(far < 1e-3, "{far}");
    };
    close(&output, &expected);
    let (a, b) = (saved.backward(&output).unwrap(), expected_saved.backward(&expected).unwrap());
    close(&a.input, &b.input);
    close(&a.parameters[0], &b.parameters[0]);
    let (output, saved) = FractionalDerivative::new(&s, 0.4, 0.5).unwrap().forward(&single(&input)).unwrap();
    let (expected, expected_saved) =
        FractionalDerivative::new(&s, 0.4, 0.5).unwrap().forward(&input.array(&s)).unwrap();
    close(&output, &expected);
    let (a, b) = (saved.backward(&output).unwrap(), expected_saved.backward(&expected).unwrap());
    close(&a.parameters[0], &b.parameters[0]);
}

#[test]
fn empty_batches_have_gradients_of_zero() {
    let s = session();
    let ones = |shape: &[usize]| Array::<f64>::ones(&s, shape).unwrap();
    let check = |gradients: pointsman_numerics::layers::Gradients<f64>, input: &[usize]| {
        assert_eq!(gradients.input.shape(), input);
        assert!(gradients.parameters.iter().all(|p| p.to_vec().unwrap().iter().all(|&x| x == 0.0)));
    };
    let (output, saved) = Linear::new(ones(&[2, 3]), ones(&[2])).unwrap().forward(&ones(&[0, 3])).unwrap();
    check(saved.backward(&output).unwrap(), &[0, 3]);
    let conv = Conv1d::new(ones(&[2, 3, 2]), ones(&[2]), ConvolveMode::Same).unwrap();
    let (output, saved) = conv.forward(&ones(&[0, 3, 8])).unwrap();
    check(saved.backward(&output).unwrap(), &[0, 3, 8]);
    for shape in [&[0][..], &[3, 0], &[0, 3]] {
        let (output, saved) = FractionalDerivative::new(&s, 0.5, 1.0).unwrap().forward(&ones(shape)).unwrap();
        check(saved.backward(&output).unwrap(), shape);
    }
}

#[test]
fn mistakes_are_errors_and_change_nothing() {
    let s = session();
    let ones = |shape: &[usize]| Array::<f64>::ones(&s, shape).unwrap();
    let mut linear = Linear::new(ones(&[2, 3]), ones(&[2])).unwrap();
    let (_, saved) = linear.forward(&ones(&[5, 3])).unwrap();
    let conv = Conv1d::new(ones(&[2, 3, 2]), ones(&[2]), ConvolveMode::Valid).unwrap();
    let (_, saved_conv) = conv.forward(&ones(&[4, 3, 9])).unwrap();
    let mut derivative = FractionalDerivative::<f64>::new(&s, 0.5, 1.0).unwrap();
    let (_, saved_derivative) = derivative.forward(&ones(&[4, 9])).unwrap();
    let mut sgd = Sgd::new(1.0, 0.9);
    let errors = [
        (Linear::new(ones(&[2]), ones(&[2])).err(), "weights of shape [out, in] and a bias of shape [out]"),
        (Linear::new(ones(&[2, 3]), ones(&[3])).err(), "but got [3] and [2]"),
        (linear.forward(&ones(&[4])).err(), "but got [4] and [3, 2]"),
        (saved.backward(&ones(&[5, 3])).err(), "a gradient of the shape of the forward pass's output, but got [5, 3]"),
        (linear.set_parameters(vec![ones(&[2, 3])]).err(), "as many parameters as the layer has"),
        (linear.set_parameters(vec![ones(&[3, 2]), ones(&[2])]).err(), "but got [3, 2] and [2, 3]"),
        (Conv1d::new(ones(&[2, 3]), ones(&[2]), ConvolveMode::Full).err(), "weights of shape [out, in, m]"),
        (Conv1d::new(ones(&[2, 3, 0]), ones(&[2]), ConvolveMode::Full).err(), "none of which is 0"),
        (Conv2d::new(ones(&[2, 3, 1]), ones(&[2]), ConvolveMode::Full).err(), "weights of shape [out, in, p, q]"),
        (conv.forward(&ones(&[4, 2, 9])).err(), "as many channels"),
        (conv.forward(&ones(&[4, 3, 1])).err(), "not larger than the array"),
        (saved_conv.backward(&ones(&[4, 2, 9])).err(), "but got [4, 2, 9] and [4, 2, 8]"),
        (FractionalDerivative::<f64>::new(&s, -0.1, 1.0).err(), "the order must be at least 0 and at most 8"),
        (FractionalIntegral::<f64>::new(&s, f64::NAN, 1.0).err(), "the order must be at least 0 and at most 8"),
        (FractionalDerivative::<f64>::new(&s, 0.5, 0.0).err(), "the step must be positive and finite"),
        (derivative.set_parameters(vec![Array::full(&s, &[], -1.0).unwrap()]).err(), "the order must be at least 0"),
        (derivative.forward(&ones(&[])).err(), "there is no axis 0"),
        (saved_derivative.backward(&ones(&[9])).err(), "but got [9] and [4, 9]"),
        (sgd.step(&mut linear, &[ones(&[2, 3])]).err(), "a gradient for each parameter"),
        (
            Adam::new(1.0).step(&mut linear, &[ones(&[2, 3]), ones(&[3])]).err(),
            "gradients of the shapes of the parameters",
        ),
        // A step out of the domain of the order.
        (sgd.step(&mut derivative, &[ones(&[])]).err(), "the order must be at least 0"),
        (mean_squared_error(&ones(&[2]), &ones(&[3])).err(), "a target of the shape of the output"),
        (mean_squared_error(&ones(&[0]), &ones(&[0])).err(), "of no numbers is not defined"),
    ];
    for (number, (error, expected)) in errors.into_iter().enumerate() {
        let error: Error = error.unwrap();
        assert!(error.to_string().contains(expected), "{number}: {error}");
    }
    assert_eq!(derivative.order(), 0.5);
    assert_eq!(linear.parameters()[0].shape(), [2, 3]);
}

#[test]
fn optimizers_take_the_steps_of_their_formulas() {
    let s = session();
    let mut layer = Linear::new(Array::full(&s, &[1, 1], 1.0).unwrap(), Array::zeros(&s, &[1]).unwrap()).unwrap();
    let gradients = |x: f64| [Array::full(&s, &[1, 1], x).unwrap(), Array::zeros(&s, &[1]).unwrap()];
    let weight = |layer: &Linear<f64>| layer.parameters()[0].sum().unwrap();
    let mut sgd = Sgd::new(0.1, 0.5);
    for (gradient, expected) in [(2.0, 0.8), (1.0, 0.6), (0.0, 0.5)] {
        sgd.step(&mut layer, &gradients(gradient)).unwrap();
        assert!((weight(&layer) - expected).abs() < 1e-15, "{}", weight(&layer));
    }
    let (mut adam, mut m, mut v, mut expected) = (Adam::new(0.1), 0.0, 0.0, 0.5);
    for (step, gradient) in [2.0, -1.0, 0.5, 0.5].into_iter().enumerate() {
        adam.step(&mut layer, &gradients(gradient)).unwrap();
        (m, v) = (0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient * gradient);
        let power = step as i32 + 1;
        let (mean, square) = (m / (1.0 - 0.9f64.powi(power)), v / (1.0 - 0.999f64.powi(power)));
        expected -= 0.1 * mean / (f64::sqrt(square) + 1e-8);
        assert!((weight(&layer) - expected).abs() < 1e-14, "{}, not {expected}", weight(&layer));
    }
}

#[test]
fn a_hidden_order_is_learned() {
    let s = session();
    let input = Array::<f64>::random_normal(&s, &[4, 128], Random::new().next()).unwrap();
    let target = FractionalDerivative::new(&s, 0.37, 0.1).unwrap().forward(&input).unwrap().0;
    let (mut layer, mut adam) = (FractionalDerivative::new(&s, 0.9, 0.1).unwrap(), Adam::new(0.03));
    for _ in 0..250 {
        let (output, saved) = layer.forward(&input).unwrap();
        let (_, gradient) = mean_squared_error(&output, &target).unwrap();
        adam.step(&mut layer, &saved.backward(&gradient).unwrap().parameters).unwrap();
    }
    assert!((layer.order() - 0.37).abs() < 1e-3, "{}", layer.order());
}
